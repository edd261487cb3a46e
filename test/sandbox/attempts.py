"""Attempts to get out of the sandbox of run_python. The test puts FACTS before this text, and `attempt("name")` behind it.

Each one prints OUT with what it got, or HELD with what stopped it; of some the test looks at the host afterwards. Nothing here
is large enough to harm a host without a sandbox, and nothing is sent anywhere.
"""
import ctypes, errno, json, mmap, os, signal, socket, struct, sys, threading, time

SECRET = FACTS["secret"].encode()
SCRATCH = os.environ.get("SCRATCH", ".")
libc = ctypes.CDLL(None, use_errno=True)
ATTEMPTS = {}
X64 = os.uname().machine == "x86_64"


def trial(function):
    ATTEMPTS[function.__name__] = function
    return function


def attempt(name):
    print("BEGUN", flush=True)
    try:
        got = ATTEMPTS[name]()
        print("OUT" if got else "HELD", str(got)[:200], flush=True)
    except (OSError, MemoryError, RuntimeError, ValueError, ProcessLookupError) as error:
        print("HELD", type(error).__name__, str(error)[:200], flush=True)


def first(*tries):
    """The first that succeeds."""
    for one in tries:
        try:
            got = one()
            if got:
                return got
        except OSError as error:
            print("held:", error, flush=True)
    return None


def call(x64, arm64, *arguments):
    result = libc.syscall(x64 if X64 else arm64, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return "the kernel did it: %d" % result


def has(path):
    with open(path, "rb") as file:
        return SECRET in file.read(1_000_000) and path


def writes(path):
    def one():
        with open(path, "a") as file:
            file.write(FACTS["marker"])
        return path
    return one


# ---- What is outside is read


@trial
def read_accounts(): return "root:" in open("/etc/passwd").read() and "accounts of the host"
@trial
def read_shadow(): return open("/etc/shadow").read(9)
@trial
def read_home(): return has(FACTS["home"])
@trial
def read_sibling(): return has(FACTS["sibling"])
@trial
def read_relative(): return has(os.path.relpath(FACTS["sibling"]))
@trial
def read_host_tmp(): return has(FACTS["tmp"])
@trial
def read_link_made(): os.symlink(FACTS["sibling"], SCRATCH + "/link"); return has(SCRATCH + "/link")
@trial
def read_link_found(): return has("link-to-sibling")
@trial
def read_hard_link(): os.link(FACTS["sibling"], SCRATCH + "/hard"); return has(SCRATCH + "/hard")
@trial
def read_environment(): return [name for name, value in os.environ.items() if FACTS["secret"] in value]
@trial
def read_parent_environment(): return has("/proc/%d/environ" % FACTS["runner"])
@trial
def read_any_environment():
    return first(*[lambda pid=pid: has("/proc/%s/environ" % pid) for pid in os.listdir("/proc") if pid.isdigit()])
@trial
def read_root_of_process():
    places = ["/proc/%s/root%s" % (pid, FACTS["home"]) for pid in ("self", 1, os.getppid(), FACTS["victim"])]
    return first(*[lambda place=place: has(place) for place in places])
@trial
def read_folder_of_process(): return os.listdir("/proc/%d/cwd/" % FACTS["victim"])
@trial
def read_descriptors_of_process(): return os.listdir("/proc/%d/fd" % FACTS["victim"])
@trial
def read_memory_of_process(): return open("/proc/%d/mem" % FACTS["victim"], "rb") and "opened"
@trial
def list_processes(): return b"victim" in open("/proc/%d/cmdline" % FACTS["victim"], "rb").read() and "command lines of the host"
@trial
def inherited_descriptors():
    links = {fd: os.readlink("/proc/self/fd/" + fd) for fd in os.listdir("/proc/self/fd") if int(fd) > 2}
    return [link for link in links.values() if not link.startswith("/proc/")]
@trial
def inherited_descriptors_by_number():
    def is_open(number):
        try: return os.fstat(number) and number
        except OSError: return None
    return [number for number in range(3, 64) if is_open(number)]
@trial
def raw_disk():
    disks = ["/dev/" + name for name in ("vda", "sda", "nvme0n1", "vdb", "loop0", "dm-0")]
    return first(*[lambda disk=disk: open(disk, "rb").read(1) and disk for disk in disks])
@trial
def kernel_devices():
    return first(*[lambda path=path: os.open(path, os.O_RDONLY) and path for path in ("/dev/mem", "/dev/kmsg", "/dev/kvm", "/dev/fuse")])
@trial
def state_folder_read(): return has(".turnstile/secret.txt")
@trial
def state_folder_names(): return os.listdir(".turnstile")
@trial
def host_logs(): return os.listdir("/var/log")
@trial
def host_sockets(): return [name for name in os.listdir("/run") if name != "code.py"]
@trial
def host_hardware(): return os.listdir("/sys/class")
@trial
def host_boot(): return os.listdir("/boot") or os.listdir("/srv") or "empty folders of the host"
@trial
def kernel_log(): return call(103, 116, 3, ctypes.create_string_buffer(100), 100)
@trial
def file_by_handle():
    handle = struct.pack("<II8s", 8, 1, b"\0" * 8)
    try: return call(304, 265, -100, ctypes.create_string_buffer(handle, 64), 0)
    except OSError as error:
        if error.errno == errno.EPERM: raise
        return "the kernel looked at the handle"


@trial
def names_as_they_are_used():
    watch = libc.inotify_init()
    if libc.inotify_add_watch(watch, os.path.dirname(FACTS["sibling"]).encode(), 0xFFF) < 0: raise OSError(ctypes.get_errno(), "inotify")
    return "is told of every name"


# ---- What is outside, or is to stay as it is, is written


def changes(path, change, what):
    before = what(os.stat(path)); change(path)
    return what(os.stat(path)) != before and path
@trial
def mode_outside(): return changes(FACTS["sibling"], lambda path: os.chmod(path, 0o666), lambda stats: stats.st_mode)
@trial
def mode_outside_by_descriptor():
    return changes(FACTS["sibling"], lambda path: os.fchmod(os.open(path, os.O_RDONLY), 0o664), lambda stats: stats.st_mode)
@trial
def times_outside(): return changes(FACTS["sibling"], lambda path: os.utime(path, (0, 0)), lambda stats: stats.st_mtime)
@trial
def attribute_outside():
    os.setxattr(FACTS["sibling"], "user.attempt", b"1"); return os.listxattr(FACTS["sibling"])
@trial
def workspace_mode_by_descriptor(): os.fchmod(os.open("data.txt", os.O_RDONLY), 0o777)
@trial
def workspace_flags():
    import fcntl
    fcntl.ioctl(os.open("data.txt", os.O_RDONLY), 0x40086602, struct.pack("l", 0x80)); return "is not updated when read"


@trial
def write_host_folders(): return first(*[writes(folder + "/" + FACTS["marker"]) for folder in FACTS["folders"]]) and None
@trial
def write_host_tmp(): return writes("/tmp/" + FACTS["marker"])() and None
@trial
def write_host_memory(): return writes("/dev/shm/" + FACTS["marker"])() and None
@trial
def workspace_new_file(): writes("new.txt")()
@trial
def workspace_change(): writes("data.txt")()
@trial
def workspace_truncate(): os.truncate("data.txt", 0)
@trial
def workspace_delete(): os.unlink("data.txt")
@trial
def workspace_rename(): os.rename("data.txt", "moved.txt")
@trial
def workspace_mode(): os.chmod("data.txt", 0o777)
@trial
def workspace_times(): os.utime("data.txt", (0, 0))
@trial
def workspace_attribute(): os.setxattr("data.txt", "user.attempt", b"1")
@trial
def workspace_by_descriptor(): os.write(os.open("/proc/self/cwd/data.txt", os.O_WRONLY | os.O_APPEND), b"x")
@trial
def workspace_mapped():
    with open("data.txt", "r+b") as file: mmap.mmap(file.fileno(), 0)[0:1] = b"X"
@trial
def git_hook(): first(writes(".git/hooks/pre-commit"), writes(".git/config")); return None
@trial
def git_moved(): os.rename(".git", "old-git"); os.makedirs(".git/hooks"); writes(".git/hooks/pre-commit")()
@trial
def editor_tasks(): writes(".vscode/tasks.json")()
@trial
def shell_settings(): writes(".envrc")()
@trial
def package_code(): writes("node_modules/left-pad/index.js")()
@trial
def project_settings(): writes("turnstile.json")()
@trial
def state_folder_write(): writes(".turnstile/" + FACTS["marker"])()
@trial
def state_folder_moved(): os.rename(".turnstile", "gone")
@trial
def python_itself(): return os.open(os.__file__, os.O_WRONLY | os.O_APPEND) and os.__file__
@trial
def python_packages():
    import sysconfig
    return writes(sysconfig.get_paths()["purelib"] + "/" + FACTS["marker"])()
@trial
def python_of_user():
    folder = FACTS["folders"][0] + "/.local/lib/python%d.%d/site-packages" % sys.version_info[:2]
    os.makedirs(folder, exist_ok=True); writes(folder + "/%s.pth" % FACTS["marker"])()
@trial
def planted_module():
    for folder in (".", SCRATCH, os.environ.get("TMPDIR", ".")):
        for name in ("json.py", "sitecustomize.py", "usercustomize.py", "encodings.py"):
            first(lambda: open(folder + "/" + name, "w").write("print('PLANTED', flush=True)\n") and None)
@trial
def setuid_file():
    path = SCRATCH + "/setuid"; open(path, "w").close(); os.chmod(path, 0o4755); return "made"
@trial
def setuid_made_so(): os.umask(0); return os.open(SCRATCH + "/setuid", os.O_CREAT | os.O_WRONLY, 0o6755) and os.stat(SCRATCH + "/setuid").st_mode & 0o6000
@trial
def fifo(): os.mkfifo(SCRATCH + "/fifo"); return "a FIFO that hangs whoever reads it"
@trial
def device_node(): os.mknod(SCRATCH + "/disk", 0o600 | 0o060000, os.makedev(8, 0)); return "a device"
@trial
def socket_node(): os.mknod(SCRATCH + "/socket", 0o140600); return "a socket file"
@trial
def socket_file(): socket.socket(socket.AF_UNIX).bind(SCRATCH + "/socket"); return "a socket file"
@trial
def owner_changed(): path = SCRATCH + "/root"; open(path, "w").close(); os.chown(path, 0, 0); return "owned by root" if os.getuid() != 0 else None


# ---- Network and other ways to talk


def answer(kind, address):
    with socket.socket(kind, socket.SOCK_STREAM) as one:
        one.settimeout(2); one.connect(address)
        return SECRET in one.recv(100) and str(address)
@trial
def tcp_loopback(): return answer(socket.AF_INET, ("127.0.0.1", FACTS["port"]))
@trial
def tcp_loopback_6(): return answer(socket.AF_INET6, ("::1", FACTS["port"]))
@trial
def route_outside():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one: one.connect(("192.0.2.1", 53)); return one.getsockname()
@trial
def socket_of_host(): return answer(socket.AF_UNIX, FACTS["socket"])
@trial
def socket_in_workspace(): return answer(socket.AF_UNIX, "inside.sock")
@trial
def socket_abstract(): return answer(socket.AF_UNIX, "\0" + FACTS["marker"])
def datagram(address, kind=socket.SOCK_DGRAM):
    one, _ = socket.socketpair(socket.AF_UNIX, kind)
    try: return one.sendto(FACTS["marker"].encode(), address) and "sent"
    except OSError as error:
        if error.errno in (errno.EPROTOTYPE, errno.ECONNREFUSED): return "reached, and of another kind"
        raise
@trial
def datagram_to_host(): return datagram(FACTS["datagrams"])
@trial
def datagram_to_host_raw(): return datagram(FACTS["datagrams"], socket.SOCK_RAW)
@trial
def datagram_in_workspace(): return datagram("inside.sock")
@trial
def pair_connected_anew():
    def anew(kind):
        one, _ = socket.socketpair(socket.AF_UNIX, kind); one.connect(FACTS["socket"]); return one.recv(100) == SECRET and "connected"
    return first(*[lambda kind=kind: anew(kind) for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM)])
@trial
def socket_vsock(): return socket.socket(40, socket.SOCK_STREAM) and "to the machine below"
@trial
def socket_packet(): return socket.socket(17, socket.SOCK_RAW, 3) and [name for _, name in socket.if_nameindex() if name != "lo"]
@trial
def socket_netlink(): return socket.socket(16, socket.SOCK_RAW, 0) and "to the kernel"
@trial
def socket_bluetooth(): return socket.socket(31, socket.SOCK_RAW, 1) and "to devices"
@trial
def shared_memory_posix(): return has("/dev/shm/" + FACTS["marker"] + "-canary")
@trial
def shared_memory_system_v():
    libc.shmat.restype = ctypes.c_void_p
    number = libc.shmget(FACTS["key"], 64, 0)
    if number < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return SECRET in ctypes.string_at(libc.shmat(number, 0, 0o10000), 64)
# The kernel counts up to a few dozen, and then again with 32,768 more.
GUESSES = [round * 32768 + number for round in range(64) for number in range(256)]
@trial
def shared_memory_by_number():
    libc.shmat.restype = ctypes.c_void_p
    for number in GUESSES:
        at = libc.shmat(number, 0, 0o10000)
        if at != ctypes.c_void_p(-1).value and SECRET in ctypes.string_at(at, 64): return "number %d" % number
@trial
def shared_memory_listed():
    buffer = ctypes.create_string_buffer(256)
    # The places of the list: one that is given back stays empty.
    return any(libc.shmctl(place, 13, buffer) >= 0 for place in range(libc.shmctl(0, 14, buffer) + 1))
@trial
def queue_by_number():
    received = ctypes.create_string_buffer(256)
    for number in GUESSES:
        if libc.msgrcv(number, received, 200, 0, 0o4000 | 0o40000) >= 0 and SECRET in received.raw: return "number %d" % number
@trial
def queue_removed():
    if libc.syscall(241 if X64 else 181, FACTS["marker"].encode()) < 0: raise OSError(ctypes.get_errno(), "mq_unlink")
    return "a queue of the host"
@trial
def terminal(): return os.open("/dev/tty", os.O_RDWR) and "the terminal of the user"
@trial
def terminal_input():
    import fcntl
    fcntl.ioctl(0, 0x5412, b" "); return "a key was pressed"


# ---- Other processes


@trial
def signal_victim(): os.kill(FACTS["victim"], 0); return "could be killed"
@trial
def signal_runner(): os.kill(FACTS["runner"], 0); return "could be killed"
@trial
def signal_all():
    os.kill(-1, signal.SIGURG); time.sleep(0.3)
@trial
def slow_victim(): os.setpriority(os.PRIO_PROCESS, FACTS["victim"], 5); return "its priority was changed"
@trial
def limit_victim():
    import resource
    resource.prlimit(FACTS["victim"], resource.RLIMIT_NOFILE); return "its limits can be changed"
@trial
def trace_victim(): return call(101, 117, 16, FACTS["victim"], 0, 0)
@trial
def trace_child():
    child = os.fork()
    if child == 0: time.sleep(1); os._exit(0)
    return call(101, 117, 16, child, 0, 0)
@trial
def memory_of_victim(): return call(310, 270, FACTS["victim"], 0, 0, 0, 0, 0)
@trial
def descriptor_of_victim(): return call(438, 438, call_pidfd(FACTS["victim"]), 0, 0)
def call_pidfd(pid): return os.pidfd_open(pid)


@trial
def memory_of_launcher():
    with open("/proc/1/maps") as file: start = int(next(line for line in file if " r-xp " in line).split("-")[0], 16)
    memory = os.open("/proc/1/mem", os.O_RDWR)
    return os.pwrite(memory, os.pread(memory, 16, start), start) and "it can be made to do anything, without limits"


# ---- The kernel


@trial
def mount(): os.makedirs(SCRATCH + "/mnt", exist_ok=True); return call(165, 40, b"none", (SCRATCH + "/mnt").encode(), b"tmpfs", 0, 0)
@trial
def mount_anew(): return call(430, 430, b"tmpfs", 0)
@trial
def remount(): return call(165, 40, 0, os.getcwd().encode(), 0, 0x1020, 0)
@trial
def unmount(): return call(166, 39, b"/proc/sys", 2)
@trial
def namespace_of_user(): return call(272, 97, 0x10000000)
@trial
def namespace_by_clone():
    child = call_clone(0x10000000 | signal.SIGCHLD)
    return child
def call_clone(flags):
    result = libc.syscall(56 if X64 else 220, flags, 0, 0, 0, 0)
    if result == 0: os._exit(0)
    if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return "cloned into a namespace"
@trial
def namespace_by_clone3():
    arguments = ctypes.create_string_buffer(struct.pack("<8Q", 0x10000000, 0, 0, 0, signal.SIGCHLD, 0, 0, 0), 64)
    result = libc.syscall(435, arguments, 64)
    if result == 0: os._exit(0)
    if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return "cloned into a namespace"
@trial
def namespace_of_another(): return call(308, 268, os.open("/proc/1/ns/net", os.O_RDONLY), 0)
@trial
def change_root(): return call(161, 51, SCRATCH.encode())
@trial
def cgroup_write():
    places = [folder + "/cgroup.procs" for folder, _, files in os.walk("/sys/fs/cgroup") if "cgroup.procs" in files][:20]
    return first(*[lambda place=place: os.open(place, os.O_WRONLY) and place for place in places])
@trial
def kernel_settings():
    names = ("kernel/core_pattern", "kernel/hostname", "vm/drop_caches", "net/ipv4/ip_forward")
    return first(*[lambda name=name: os.open("/proc/sys/" + name, os.O_WRONLY) and name for name in names])
@trial
def system_request(): return os.open("/proc/sysrq-trigger", os.O_WRONLY) and "sysrq"
@trial
def new_privileges(): return "NoNewPrivs:\t0" in open("/proc/self/status").read() if os.path.exists("/proc/self/status") else call(157, 167, 39, 0, 0, 0, 0).endswith(": 0")
@trial
def capabilities():
    header, data = ctypes.create_string_buffer(struct.pack("<Ii", 0x20080522, 0), 8), ctypes.create_string_buffer(24)
    call(125, 90, header, data); return any(data.raw[:8]) and data.raw.hex()
@trial
def become_root(): os.setuid(0); return os.getuid() == 0 and FACTS["isRoot"] and "root"
@trial
def change_user(): os.setresuid(1, 1, 1); return "another user"
@trial
def old_numbers():
    if not X64: raise OSError("there are none")
    return call(0x40000000 + 39, 0)
@trial
def personality(): return call(135, 92, 0x0040000)
@trial
def host_name(): return call(170, 161, b"attempt", 7)
@trial
def clock(): return call(227, 112, 0, ctypes.create_string_buffer(struct.pack("<qq", int(time.time()), 0), 16))
@trial
def io_uring(): return call(425, 425, 4, ctypes.create_string_buffer(120))
@trial
def keyring(): return call(248, 217, b"user", b"attempt", b"x", 1, -3)
@trial
def bpf(): return call(321, 280, 0, ctypes.create_string_buffer(struct.pack("<IIII", 2, 4, 4, 1), 72), 72)
@trial
def user_faults(): return call(323, 282, 1)
@trial
def performance(): return call(298, 241, ctypes.create_string_buffer(struct.pack("<IIQ", 1, 112, 1), 112), 0, -1, -1, 0)
@trial
def watch_files(): return call(300, 262, 0, 0)


# ---- More than its share. FACTS["share"] says how much that is


@trial
def many_processes():
    count = 0
    try:
        while count < FACTS["share"]["tasks"] * 2:
            if os.fork() == 0: time.sleep(12); os._exit(0)
            count += 1
    except OSError as error: print("stopped:", error)
    return count > FACTS["share"]["tasks"] and "%d processes" % count
@trial
def many_threads():
    threading.stack_size(65536); count = 0
    try:
        while count < FACTS["share"]["tasks"] * 2: threading.Thread(target=time.sleep, args=(12,), daemon=True).start(); count += 1
    except RuntimeError as error: print("stopped:", error)
    print("OUT" if count > FACTS["share"]["tasks"] else "HELD", count, "threads", flush=True); os._exit(0)
@trial
def much_memory():
    mine = mmap.mmap(-1, FACTS["share"]["memory"] * 2)
    for at in range(0, len(mine), 4096): mine[at] = 1
    return "%d bytes" % len(mine)
@trial
def much_memory_together():
    size = FACTS["share"]["memory"] * 3 // 5
    for _ in range(3):
        if os.fork() == 0:
            mine = mmap.mmap(-1, size)
            for at in range(0, size, 4096): mine[at] = 1
            print("touched", flush=True); time.sleep(12); os._exit(0)
    time.sleep(9); return "three times %d bytes" % size
@trial
def large_file():
    with open(SCRATCH + "/large", "wb") as file:
        for _ in range(FACTS["share"]["file"] // 65536 * 2): file.write(b"\0" * 65536)
    return "written"
@trial
def large_files():
    for number in range(16):
        with open(SCRATCH + "/part%d" % number, "wb") as file: file.write(os.urandom(65536) * (FACTS["share"]["disk"] // 65536 // 8))
    time.sleep(9); return "written twice over"
@trial
def many_files():
    os.mkdir(SCRATCH + "/many")
    for number in range(FACTS["share"]["files"] * 3): open(SCRATCH + "/many/%d" % number, "w").close()
    time.sleep(9); return "made"
def fill(place):
    for number in range(16):
        with place(number) as file: file.write(os.urandom(65536) * (FACTS["share"]["disk"] // 65536 // 8))
    time.sleep(9)
@trial
def files_without_names():
    kept = []
    def place(number):
        file = open(SCRATCH + "/part", "wb"); kept.append(os.dup(file.fileno())); os.unlink(SCRATCH + "/part"); return file
    fill(place); return "written twice over"
@trial
def memory_without_a_process():
    kept = []
    def place(number):
        file = os.fdopen(os.memfd_create("part"), "wb"); kept.append(os.dup(file.fileno())); return file
    for _ in range(3): fill_memory(place)
    time.sleep(9); return "three times as much"
def fill_memory(place):
    for number in range(32):
        with place(number) as file: file.write(b"x" * (FACTS["share"]["memory"] // 32))
@trial
def files_in_a_closed_folder():
    os.mkdir(SCRATCH + "/closed"); os.chdir(SCRATCH + "/closed"); os.chmod(".", 0o300)
    fill(lambda number: open("part%d" % number, "wb")); return "written twice over"
@trial
def files_too_deep():
    os.chdir(SCRATCH)
    for _ in range(20): os.mkdir("d" * 250); os.chdir("d" * 250)
    fill(lambda number: open("part%d" % number, "wb")); return "written twice over"
@trial
def shared_memory_of_nobody():
    libc.shmat.restype = ctypes.c_void_p
    for _ in range(4):
        number = libc.shmget(0, FACTS["share"]["memory"] // 2, 0o1600)
        if number < 0: raise OSError(ctypes.get_errno(), "shmget")
        at = libc.shmat(number, 0, 0); ctypes.memset(at, 1, FACTS["share"]["memory"] // 2); libc.shmdt(ctypes.c_void_p(at))
    return "twice as much, and no process has it"
@trial
def full_tmp():
    for number in range(16):
        with open(os.environ["TMPDIR"] + "/part%d" % number, "wb") as file: file.write(os.urandom(65536) * (FACTS["share"]["disk"] // 65536 // 8))
    time.sleep(9); return "written twice over"
@trial
def endless_output():
    piece = b"A" * 65536
    while True: os.write(1, piece)
@trial
def endless_errors():
    piece = b"A" * 65536
    while True: os.write(2, piece)
@trial
def busy():
    while True: pass
@trial
def asleep(): time.sleep(60)
@trial
def stopped(): os.kill(os.getpid(), signal.SIGSTOP); time.sleep(60)
@trial
def deaf():
    for number in range(1, 65):
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
    while True: time.sleep(0.1)
@trial
def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(3): os.close(number)
            libc.prctl(15, b"innocent", 0, 0, 0)
            until = time.time() + 20
            while time.time() < until:
                try: open(SCRATCH + "/alive", "w").write(str(time.time()))
                except OSError: pass
                time.sleep(0.05)
        os._exit(0)
    time.sleep(0.3)
@trial
def output_held():
    if os.fork() == 0: os.setsid(); time.sleep(20); os._exit(0)
    os._exit(0)


# ---- While this one swaps, the test reads by `read_file`


def swap(*names):
    print("swapping", flush=True); until = time.time() + 2.5
    while time.time() < until:
        for name in names:
            try: os.rename(name, "swapped"); os.rename("swapped", name)
            except OSError: pass
@trial
def swapped_link():
    open("plain", "w").write("harmless"); os.symlink(FACTS["sibling"], "evil"); swap("plain", "evil")
@trial
def swapped_folder():
    os.makedirs("plain"); open("plain/secret.txt", "w").write("harmless"); os.symlink(os.path.dirname(FACTS["sibling"]), "evil"); swap("plain", "evil")
@trial
def innocent(): import json; print("innocent", json.dumps([1])); return None
