/** As escapes.test.ts, for a caller who is not root: where root runs the tests, this process becomes somebody else. */
import { beforeAll, describe } from 'vitest';
import { testEscapes } from './escapes.ts';

/** Another one than the code of root's tests runs as: the kernel counts processes by user. */
const SOMEBODY = 65_533;

// Anybody but root has tried the same in escapes.test.ts.
describe.runIf(process.getuid?.() === 0)('of a caller who is not root', () => {
  beforeAll(() => {
    process.setgroups?.([]);
    process.setgid?.(SOMEBODY);
    process.setuid?.(SOMEBODY);
  });

  testEscapes({ sandbox: 'bubblewrap', workdirMode: 'ro' });
  testEscapes({ sandbox: 'bubblewrap', workdirMode: 'rw' });
  if (process.env['ESCAPES'] === 'all')
    testEscapes({ sandbox: 'landlock', workdirMode: 'ro' }, ['state_folder_names']);
});
