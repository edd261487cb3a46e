/** System calls that no calculation needs, by number: [x86-64, arm64]. Source: the kernel's tables. */

export type Numbers = readonly [x64: number | null, arm64: number | null];

/** Refused, whatever their arguments are. */
export const REFUSED: Readonly<Record<string, Numbers>> = {
  // Other processes.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
  // Mounts and namespaces.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  unshare: [272, 97],
  setns: [308, 268],
  // Wide doors into the kernel.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  fanotify_init: [300, 262],
  // Tells the names of what others use, also in folders that cannot be read here.
  inotify_add_watch: [254, 27],
  // By name, and past what Landlock knows.
  file_setattr: [469, 469],
  lookup_dcookie: [212, 18],
  personality: [135, 92],
  // Memory and queues of System V: their numbers can be guessed, and no limit of a process counts them.
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  semget: [64, 190],
  semop: [65, 193],
  semctl: [66, 191],
  semtimedop: [220, 192],
  msgget: [68, 186],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  msgctl: [71, 187],
  // The machine.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  acct: [163, 89],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  syslog: [103, 116],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
};

/**
 * Refused where nothing else holds them: queues of others, the scheduling of their processes, and what Landlock lets pass with
 * files that are not named.
 */
export const SHARED: Readonly<Record<string, Numbers>> = {
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  // Before Linux 6.2 Landlock does not know it.
  truncate: [76, 45],
  chown: [92, null],
  fchown: [93, 55],
  lchown: [94, null],
  fchownat: [260, 54],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  setxattrat: [463, 463],
  removexattrat: [466, 466],
  setpriority: [141, 140],
  sched_setparam: [142, 118],
  sched_setscheduler: [144, 119],
  sched_setaffinity: [203, 122],
  sched_setattr: [314, 274],
  ioprio_set: [251, 30],
};

/**
 * Answered as if done where Landlock lets them pass, for a file that is not named and for one that is only to be read:
 * whoever copies a file sets its mode and times, and is not to fail by that.
 */
export const UNDONE: Readonly<Record<string, Numbers>> = {
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  utime: [132, null],
  utimes: [235, null],
  futimesat: [261, null],
  utimensat: [280, 88],
};

/** Only of itself (0), where others can be seen. */
export const OWN_LIMITS: Numbers = [302, 261];

/** Said not to be there: the C library takes the older call then, whose arguments a filter can see. */
export const ABSENT: Readonly<Record<string, Numbers>> = { clone3: [435, 435], openat2: [437, 437] };

export interface Condition {
  /** Which argument, from 0. */
  readonly argument: number;
  /** Bits that are looked at. */
  readonly mask: number;
  /** Their value; without one, any bit that is set. */
  readonly equals?: number;
}

export interface Conditional {
  readonly numbers: Numbers;
  readonly when: Condition;
}

const NEW_NAMESPACE = 0x7e02_0000;
const SETUID = 0o6000;
const FILE_TYPE = 0o170_000;
const FIFO = 0o010_000;
const SOCKET_FILE = 0o140_000;
const SET_FLAGS = [0x4008_6602, 0x4004_6602, 0x401c_5820];
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

const bits = (numbers: Numbers, argument: number, mask: number): Conditional => ({
  numbers,
  when: { argument, mask },
});

const value = (numbers: Numbers, argument: number, mask: number, equals: number): Conditional => ({
  numbers,
  when: { argument, mask, equals },
});

/** Refused with these arguments. */
export const REFUSED_WITH: readonly Conditional[] = [
  // clone, into a namespace of its own
  bits([56, 220], 0, NEW_NAMESPACE),
  // chmod, fchmod, fchmodat, fchmodat2, open, openat, creat, mknod, mknodat, mkdir, mkdirat: no file runs as its owner
  bits([90, null], 1, SETUID),
  bits([91, 52], 1, SETUID),
  bits([268, 53], 2, SETUID),
  bits([452, 452], 2, SETUID),
  bits([2, null], 2, SETUID),
  bits([257, 56], 3, SETUID),
  bits([85, null], 1, SETUID),
  bits([133, null], 1, SETUID),
  bits([259, 33], 2, SETUID),
  // mknod, mknodat: nobody who reads the workspace later is to hang at a FIFO
  value([133, null], 1, FILE_TYPE, FIFO),
  value([259, 33], 2, FILE_TYPE, FIFO),
  value([133, null], 1, FILE_TYPE, SOCKET_FILE),
  value([259, 33], 2, FILE_TYPE, SOCKET_FILE),
  // ioctl: nothing is typed into the user's terminal
  value([16, 29], 1, 0xffff_ffff, TIOCSTI),
  value([16, 29], 1, 0xffff_ffff, TIOCLINUX),
  // ioctl: flags of a file need no more than that it can be read
  ...SET_FLAGS.map((flags) => value([16, 29], 1, 0xffff_ffff, flags)),
  // socketpair: of no family but AF_UNIX (1), and no datagrams, which such a socket would send to any other
  bits([53, 199], 0, 0xffff_fffe),
  bits([53, 199], 1, 0b10),
];

/** `socket`: its first argument is the family. */
export const SOCKET: Numbers = [41, 198];
export const INTERNET = [2, 10];
