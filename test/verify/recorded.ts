/** A journal as a run has left it, and what it takes to damage it. */
import { play, replies, text, toolUse } from '../support/world.ts';

const PRICE = { input: 1, output: 5, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };
const thinking = { type: 'thinking', thinking: 'Which?', signature: 'c2lnbmF0dXJl' };

/** Lines 2–6: two reads. 7–9: a denied write. 10–13: an approved write. 14: the answer. 15: the end. */
const recorded = await play({
  turns: [
    replies([thinking, text('Reading.'), toolUse('a'), toolUse('b')]),
    replies([toolUse('c', 'write', { to: 'x' })]),
    replies([toolUse('d', 'write', { to: 'y' })]),
    replies([text('Done.')]),
  ],
  box: { asks: ['write'] },
  approver: {
    decide: async ({ id }) =>
      id === 'c' ? { decision: 'deny', by: 'person', reason: 'no' } : { decision: 'approve', by: 'person' },
  },
  header: { price: PRICE },
});

// Damaged below: plain JSON, as it stands in a file.
export type Lines = unknown[];
export type Damage = (lines: Lines) => Lines;

/** What was done to a journal; the line, the invariant and the sentence that name it. */
export type Row = readonly [string, Damage, number, number, RegExp];

/** As it stands in a file. */
export const plain = (lines: readonly unknown[]): Lines => JSON.parse(JSON.stringify(lines)) as Lines;

export const clean = (): Lines => plain(recorded.lines);

/** Sets a field, deep in a line; `path` has its dots. Lines count from 1. */
export const set =
  (line: number, path: string, value: unknown): Damage =>
  (lines) => {
    const names = path.split('.');
    const last = names.pop() ?? '';
    const holder = names.reduce<unknown>((of, name) => Reflect.get(of as object, name), lines[line - 1]);
    if (!Reflect.has(holder as object, last)) throw new Error(`Line ${line} has no ${path}.`);
    Reflect.set(holder as object, last, value);
    return lines;
  };

export const drop =
  (line: number): Damage =>
  (lines) =>
    lines.toSpliced(line - 1, 1);

/** A block that was not there, in what the model said. */
export const insertBlock =
  (line: number, at: number, block: unknown): Damage =>
  (lines) => {
    const content = Reflect.get(Reflect.get(lines[line - 1] as object, 'message') as object, 'content');
    return set(line, 'message.content', (content as Lines).toSpliced(at, 0, block))(lines);
  };

/** All behind the line is gone. */
export const upTo =
  (line: number): Damage =>
  (lines) =>
    lines.slice(0, line);

/** The line once more, as line `at`. */
export const repeat =
  (line: number, at: number): Damage =>
  (lines) =>
    lines.toSpliced(at - 1, 0, structuredClone(lines[line - 1]));

export const insert =
  (at: number, line: unknown): Damage =>
  (lines) =>
    lines.toSpliced(at - 1, 0, structuredClone(line));

/** The line, taken out and put in so that it is line `at`. */
export const move =
  (line: number, at: number): Damage =>
  (lines) =>
    lines.toSpliced(line - 1, 1).toSpliced(at - 1, 0, lines[line - 1]);

export const both =
  (...damages: readonly Damage[]): Damage =>
  (lines) =>
    damages.reduce((damaged, damage) => damage(damaged), lines);

export const replaceText =
  (from: string, to: string): Damage =>
  (lines) =>
    JSON.parse(JSON.stringify(lines).replaceAll(from, to)) as Lines;

/** Words of the user, as a line that was not there. */
export const SAID = {
  type: 'user.interjected',
  at: '1970-01-01T00:00:00.000Z',
  text: 'And?',
  promptCost: { next: { nanoUsd: 0, tokens: 2 }, summary: { nanoUsd: 0, tokens: 1 } },
};
