/** Damages of what the model was sent and had said. */
import { both, drop, insert, move, set, SAID, type Row } from '../recorded.ts';

export const HISTORY: readonly Row[] = [
  ['a result dropped', drop(5), 6, 1, /^The model is asked, but the call a of line 2 has no result\.$/],
  ['a result moved to the next turn', move(5, 7), 6, 1, /the call a of line 2 has no result/],
  ['two results in another order', move(6, 5), 5, 1, /^The result of b comes before that of a\.$/],
  ['a result moved, as the API says it', move(5, 7), 6, 1, /API refuses.*`tool_use` ids were found without/],
  [
    'a start and its result dropped, as the API says it',
    both(drop(5), drop(3)),
    5,
    1,
    /`tool_use` ids were found without `tool_result` blocks immediately after: a/,
  ],
  [
    'an emptied signature',
    set(2, 'message.content.0.signature', ''),
    2,
    1,
    /^Block 1 .* is thinking without/,
  ],
  [
    'an emptied signature, as the API says it',
    set(2, 'message.content.0.signature', ''),
    7,
    1,
    /messages\.1\.content\.0: Invalid `signature` in `thinking` block/,
  ],
  ['an input changed in the call', set(7, 'calls.0.input', { to: 'z' }), 7, 1, /input of the call c is not/],
  [
    'an input changed in the response',
    set(7, 'message.content.0.input.to', 'z'),
    7,
    1,
    /input of the call c is not the one that the response holds/,
  ],
  ['another fingerprint', set(7, 'calls.0.fingerprint', 'x'), 7, 1, /fingerprint of the call c/],
  ['a call that the fact leaves out', set(2, 'calls', []), 2, 1, /makes 2 calls, the fact has 0/],
  ['a call under another name', set(2, 'calls.0.name', 'write'), 2, 1, /Call 1 of the fact is not call 1/],
  [
    'something blank said',
    insert(7, { ...SAID, text: ' \n' }),
    7,
    1,
    /user\.interjected says something blank/,
  ],
  [
    'an answer that cannot go back',
    set(14, 'message.content.0', {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'x' },
    }),
    14,
    1,
    /^The API refuses to go on from here: .*document/,
  ],
  ['a blank task', set(1, 'task', ''), 1, 1, /run\.started says something blank/],
  [
    'a tool that cannot be defined',
    set(1, 'tools.0.name', 'a b'),
    2,
    1,
    /tools\.0\.custom\.name: String should/,
  ],
];
