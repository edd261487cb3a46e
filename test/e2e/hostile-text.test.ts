import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { says, toolUse } from '../../src/testing/index.ts';
import { onTerminal, QUESTION } from './on-terminal.ts';

describe('E07: nothing of a call is interpreted before it is approved, and then by python alone', () => {
  const SHELL = '\'; touch pwned; \' $(touch pwned) `touch pwned` "; touch pwned; "';

  it.each([
    { answer: 'n', ran: false },
    { answer: 'y', ran: true },
  ])('answer $answer: ran is $ran', async ({ answer, ran }) => {
    // 200 kB: more than an argument of a process may have.
    const code = `text = r"""${SHELL} """ + r"""${'x'.repeat(200_000)}"""\nimport os\nopen(os.environ["SCRATCH"] + "/ran.txt", "w").write(text)`;
    const { folder, second } = await onTerminal(
      [says(toolUse('run_python', { code })), says('Done.')],
      [[QUESTION, `${answer}\r`]],
    );
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
    const [scratch = 'none'] = readdirSync(join(folder, '.turnstile', 'scratch'));
    const file = join(folder, '.turnstile', 'scratch', scratch, 'ran.txt');
    expect(existsSync(file)).toBe(ran);
    if (ran) expect(readFileSync(file, 'utf8')).toBe(`${SHELL} ${'x'.repeat(200_000)}`);
    else expect(second).toContain('denied this call');
  });
});
