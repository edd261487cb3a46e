/** The ways in which a journal can be damaged. */
import { at, drop, edit, field, nested, type Line } from './recorded.ts';

/** What was done to a journal, and what is said of it. */
export const DAMAGES: readonly (readonly [string, (lines: Line[]) => unknown[], RegExp])[] = [
  ['a result dropped', (lines) => drop(lines, 'tool.finished'), /^3 a has no result|call a has no result/],
  [
    'a result moved',
    (lines) => {
      const [first, second] = [at(lines, 'tool.finished'), at(lines, 'tool.finished', 1)];
      return lines.map((line, index) =>
        index === first ? (lines[second] ?? line) : index === second ? (lines[first] ?? line) : line,
      );
    },
    /tool\.finished cannot happen/,
  ],
  [
    'a result duplicated',
    (lines) =>
      lines.toSpliced(at(lines, 'tool.finished'), 0, lines[at(lines, 'tool.finished')] ?? { type: '' }),
    /a has a second result/,
  ],
  [
    'a result of another call',
    (lines) =>
      edit(lines, 'tool.finished', 0, (line) => {
        line['callId'] = 'x';
      }),
    /nobody made: x/,
  ],
  [
    'an emptied signature',
    (lines) =>
      edit(lines, 'model.called_tools', 0, (line) => {
        const [block] = field(line, 'message')['content'] as Record<string, unknown>[];
        if (block) block['signature'] = '';
      }),
    /Invalid `signature`/,
  ],
  ['a started call without an end', (lines) => drop(lines, 'tool.finished', 3), /call d has no result/],
  [
    'a call started twice',
    (lines) =>
      lines.toSpliced(at(lines, 'tool.started'), 0, lines[at(lines, 'tool.started')] ?? { type: '' }),
    /a starts a second time/,
  ],
  [
    'a start without an approval',
    (lines) => drop(lines, 'approval.decided', 1),
    /d starts, but nobody has approved it/,
  ],
  [
    'an approval of another input',
    (lines) =>
      edit(lines, 'approval.decided', 1, (line) => {
        line['inputHash'] = 'x';
      }),
    /d starts, but another input was approved/,
  ],
  [
    'a denied call that starts',
    (lines) =>
      edit(lines, 'approval.decided', 1, (line) => {
        line['decision'] = 'deny';
      }),
    /d starts, but it was denied/,
  ],
  [
    'a ruled out call that starts',
    (lines) =>
      edit(lines, 'model.called_tools', 2, (line) => {
        const [call] = line['calls'] as Record<string, unknown>[];
        if (call) call['verdict'] = 'deny';
      }),
    /d starts, but its verdict is deny/,
  ],
  [
    'an invalid call that starts',
    (lines) =>
      edit(lines, 'model.called_tools', 0, (line) => {
        const [call] = line['calls'] as Record<string, unknown>[];
        if (call) call['verdict'] = 'invalid';
      }),
    /a starts, but its verdict is invalid/,
  ],
  [
    'an altered cost',
    (lines) =>
      edit(lines, 'model.answered', 0, (line) => {
        field(line, 'cost')['tokens'] = 1;
      }),
    /by its usage it is 110/,
  ],
  [
    'an altered spend of the outcome',
    (lines) =>
      edit(lines, 'run.ended', 0, (line) => {
        field(line, 'result')['costUsd'] = 0;
      }),
    /0 USD were spent/,
  ],
  [
    'a cost of a refused request',
    (lines) =>
      edit(lines, 'model.answered', 0, (line) => {
        line['billing'] = 'none';
      }),
    /was not billed, and costs/,
  ],
  [
    'an altered stop reason',
    (lines) =>
      edit(lines, 'run.ended', 0, (line) => {
        field(line, 'result')['reason'] = 'max_turns';
      }),
    /stop reason max_turns/,
  ],
  [
    'an altered number of turns',
    (lines) =>
      edit(lines, 'run.ended', 0, (line) => {
        field(line, 'result')['turns'] = 3;
      }),
    /turns 3/,
  ],
  ['a dropped response', (lines) => drop(lines, 'model.called_tools'), /cannot happen in the state/],
  [
    'an unknown fact',
    (lines) =>
      edit(lines, 'tool.started', 0, (line) => {
        line.type = 'tool.danced';
      }),
    /called "tool.danced"/,
  ],
  [
    'an unknown format',
    (lines) =>
      edit(lines, 'run.started', 0, (line) => {
        line['format'] = 2;
      }),
    /no run.started: .*format/,
  ],
  ['no header', (lines) => lines.slice(1), /begins with its header/],
  ['a second header', (lines) => lines.toSpliced(3, 0, lines[0] ?? { type: '' }), /a second one/],
  ['no end', (lines) => lines.slice(0, -1), /has no end/],
  ['two ends', (lines) => [...lines, lines.at(-1)], /no place behind run.ended/],
  [
    'a fact behind the end',
    (lines) => [...lines, lines[at(lines, 'tool.started')]],
    /tool.started has no place behind/,
  ],
  [
    'half a character',
    (lines) =>
      edit(lines, 'tool.finished', 0, (line) => {
        field(line, 'outcome')['content'] = '\ud83d';
      }),
    /half a character/,
  ],
  [
    'something blank said',
    (lines) =>
      lines.toSpliced(2, 0, {
        type: 'user.interjected',
        at: '2026-12-01T00:00:00.000Z',
        text: ' ',
        promptCost: { nanoUsd: 0, tokens: 1 },
      }),
    /said something blank/,
  ],
  [
    'an input that is not the one of the response',
    (lines) =>
      edit(lines, 'model.called_tools', 1, (line) => {
        const [call] = line['calls'] as Record<string, unknown>[];
        if (call) call['input'] = { to: 'z' };
      }),
    /input of the call c is not the one/,
  ],
  [
    'a call that the response does not make',
    (lines) =>
      edit(lines, 'model.called_tools', 0, (line) => {
        (line['calls'] as unknown[]).pop();
      }),
    /makes 2 calls, the fact has 1/,
  ],
  [
    'a call with the id of an earlier one',
    (lines) => JSON.parse(JSON.stringify(lines).replaceAll('"d"', '"a"')) as Line[],
    /Two calls have the id a/,
  ],
  [
    'more turns than there may be',
    (lines) =>
      edit(lines, 'run.started', 0, (line) => {
        field(line, 'limits')['maxTurns'] = 2;
      }),
    /cannot happen in the state|turns/,
  ],
  [
    'a budget that was used up before',
    (lines) =>
      edit(lines, 'run.started', 0, (line) => {
        nested(field(line, 'limits'), 'budget')['tokens'] = 200;
      }),
    /when the budget was used up/,
  ],
  [
    'a line that is none',
    (lines) => lines.toSpliced(4, 1, JSON.parse('{}') as Line),
    /This is no line of a journal/,
  ],
  [
    'a negative cost',
    (lines) =>
      edit(lines, 'model.answered', 0, (line) => {
        field(line, 'cost')['tokens'] = -5;
      }),
    /no model.answered: .*cost.tokens/,
  ],
];
