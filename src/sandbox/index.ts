export {
  chooseSandbox,
  NoInterpreterError,
  prepareFolder,
  trial,
  type Chosen,
  type Wanted,
} from './choose.ts';
export { findPython, interpretersFor } from './interpreter.ts';
export { DEFAULT_SANDBOX_LIMITS } from './prlimit.ts';
export { NOT_HELD } from './not-held.ts';
export { PROTECTED_NAMES, protectedName } from './protected.ts';
export { uidForCode } from './run-as.ts';
export { watchOver, type PassedLimit } from './watch.ts';
export { isBelow } from './system.ts';
export type { Cell, Confinement, SandboxLimits, WorkdirMode } from './types.ts';
