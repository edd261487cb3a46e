import { expect, it } from 'vitest';
import { fakeTerminal, never } from './terminal-double.ts';

const QUESTION = '10 turns are used up. How many more? [0] ';

it.each([
  ['5\n', 5],
  [' 12 \r\n', 12],
  ['\n', 0],
  ['0\n', 0],
])('%j to "How many more?" is %d', async (keys, turns) => {
  const terminal = fakeTerminal();
  const raised = terminal.approver.raiseLimit(10, never);
  await terminal.until(QUESTION);
  terminal.keyboard.write(keys);
  expect(await raised).toBe(turns);
});

it.each(['-1', '1.5', 'many', '5 turns', '1e3', '99999999999999999999'])(
  '"%s" is asked again',
  async (keys) => {
    const terminal = fakeTerminal();
    const raised = terminal.approver.raiseLimit(10, never);
    await terminal.until(QUESTION);
    terminal.keyboard.write(`${keys}\n`);
    await terminal.until('A whole number, please, or Enter for none.\n');
    await terminal.until(QUESTION);
    terminal.keyboard.write('2\n');
    expect(await raised).toBe(2);
  },
);

it('the end of the input is none', async () => {
  const terminal = fakeTerminal();
  const raised = terminal.approver.raiseLimit(10, never);
  await terminal.until(QUESTION);
  terminal.keyboard.end();
  expect(await raised).toBe(0);
});

it('a signal is none', async () => {
  const stop = new AbortController();
  const terminal = fakeTerminal();
  const raised = terminal.approver.raiseLimit(10, stop.signal);
  await terminal.until(QUESTION);
  stop.abort();
  expect(await raised).toBe(0);
});

it('one turn is one turn', async () => {
  const terminal = fakeTerminal();
  const raised = terminal.approver.raiseLimit(1, never);
  await terminal.until('1 turn is used up. How many more? [0] ');
  terminal.keyboard.end();
  await raised;
});
