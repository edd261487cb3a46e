/** What a tool that runs code is confined to. */

/** How the processes of a tool are confined; docs/security.md says what each holds. */
export type SandboxName = 'bubblewrap' | 'landlock' | 'seatbelt' | 'none';

/** `ro`: code reads the workspace, and writes to a scratch folder. `rw`: it also changes the workspace. */
export type WorkdirMode = 'ro' | 'rw';

/** As it stands in the header of a journal. */
export interface Confinement {
  readonly sandbox: SandboxName;
  readonly workdir: WorkdirMode;
  readonly network: boolean;
  /** Why a stronger sandbox was not taken, where there is one. */
  readonly instead: string | null;
}

/** Limits of one call. Those of a process hold in the kernel; those of all together are watched every 50 ms. */
export interface SandboxLimits {
  /** Of one process, and of all together, in bytes. */
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly tasks: number;
  /** Of one file, in bytes. */
  readonly fileBytes: number;
  /** Of all that is written to the folders that stay, in bytes. */
  readonly diskBytes: number;
  readonly files: number;
  /** CPU time of one process, in seconds. */
  readonly cpuSeconds: number;
  readonly openFiles: number;
  /** Printed, in bytes. */
  readonly outputBytes: number;
}

export interface Interpreter {
  /** To be started, absolute. */
  readonly path: string;
  /** As `3.12.1`. */
  readonly version: string;
  /** Folders that it needs beside those of the system: its own, and those of a virtual environment. */
  readonly folders: readonly string[];
}

/** One call of a tool, as a sandbox is to set it up. All paths are absolute. */
export interface Cell {
  readonly interpreter: Interpreter;
  /** Flags of the interpreter. */
  readonly flags: readonly string[];
  readonly script: string;
  /** A folder of the call's own, gone afterwards. */
  readonly folder: string;
  readonly workdir: string;
  readonly mode: WorkdirMode;
  /** Kept between calls; writable. */
  readonly scratch: string;
  /** Never seen. */
  readonly hidden: readonly string[];
  readonly network: boolean;
  readonly limits: SandboxLimits;
  /** Whom the code runs as, where this process is root. */
  readonly uid: number | null;
  readonly env: Readonly<Record<string, string>>;
}

/** How a cell is started. */
interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Contents of descriptor 3 and those that follow. */
  readonly inputs: readonly Uint8Array[];
  /** It writes to the descriptor behind those which process all others hang on: it can end before that one does. */
  readonly tellsInner: boolean;
}

export interface Sandbox {
  readonly name: SandboxName;
  /** Whether code may be let change the workspace: the files that others run from it have to be kept from it. */
  readonly modes: readonly WorkdirMode[];
  /** @throws {UserError} when the cell cannot be had with this sandbox */
  launch(cell: Cell): Launch;
}
