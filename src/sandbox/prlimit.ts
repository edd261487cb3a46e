/** Limits that the kernel keeps for each process. */
import type { SandboxLimits } from './types.ts';

/** `prlimit` of util-linux, to be followed by a command. */
export const limitArgs = (limits: SandboxLimits): readonly string[] => [
  'prlimit',
  `--as=${limits.memoryBytes}`,
  `--nproc=${limits.tasks}`,
  `--fsize=${limits.fileBytes}`,
  `--cpu=${limits.cpuSeconds}`,
  `--nofile=${limits.openFiles}`,
  '--core=0',
  '--',
];

export const DEFAULT_SANDBOX_LIMITS: SandboxLimits = {
  memoryBytes: 1024 * 1024 * 1024,
  tasks: 64,
  fileBytes: 64 * 1024 * 1024,
  diskBytes: 256 * 1024 * 1024,
  files: 5_000,
  cpuSeconds: 60,
  openFiles: 256,
  outputBytes: 64_000_000,
};
