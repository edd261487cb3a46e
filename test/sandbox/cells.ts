/** A cell as a tool would make it. */
import { DEFAULT_SANDBOX_LIMITS } from '../../src/sandbox/index.ts';
import type { Cell } from '../../src/sandbox/types.ts';

export const cellWith = (more: Partial<Cell> = {}): Cell => ({
  interpreter: { path: '/usr/bin/python3', version: '3.12.1', folders: [] },
  flags: ['-I'],
  script: '/tmp/call/code.py',
  folder: '/tmp/call',
  workdir: '/home/me/project',
  mode: 'ro',
  scratch: '/home/me/project/.turnstile/scratch/run',
  hidden: [],
  network: false,
  limits: DEFAULT_SANDBOX_LIMITS,
  uid: null,
  env: { LANG: 'C.UTF-8' },
  ...more,
});
