/** A request, message by message, with a name for each text that may stand in it. */
import { CUT, PIECES } from '../testing/reply.ts';
import { kitRequestOf } from './kit.ts';
import { HUGE_BYTES, SMALL_BYTES } from './workbench.ts';

export interface RequestShape {
  readonly tools: 'on' | 'off';
  /** The limit of the first attempt was doubled so many times; null: it is a matter of the budget. */
  readonly growths: number | null;
  /** `user: task, words`, `assistant: text Done., tool_use toolu_t1c1`, `user: toolu_t1c1 succeeded`. */
  readonly messages: readonly string[];
}

type Names = readonly (readonly [name: string, text: RegExp])[];

const USER: Names = [
  ['task', /^What is the average in scores\.csv\?$/],
  ['words', /^And the median\?$/],
  ['huge words', new RegExp(`^x{${HUGE_BYTES}}$`)],
  ['go on', /^Go on with the task from where you stopped/],
  ['summary: max_turns', /^The turn limit .* is reached, so this is the last turn and tools are disabled\./],
  ['summary: budget', /^The budget .* is used up, so this is the last turn and tools are disabled\./],
  ['summary: stuck', /^The same call has failed .* this is the last turn and tools are disabled\./],
];

const LETTERS = ['a', 'b'] as const;

/** Each result has in it whose it is. */
const SUCCEEDED: Names = LETTERS.flatMap((letter): Names => [
  [`succeeded: read ${letter}`, new RegExp(`^read ${letter} x{${SMALL_BYTES - 7}}$`)],
  [`succeeded: read ${letter}, huge`, new RegExp(`^read ${letter} x{${HUGE_BYTES - 7}}$`)],
  [`succeeded: ask ${letter}`, new RegExp(`^${letter} 45\\n$`)],
]);

const FAILED: Names = [
  ['not run: max_turns', /^Not run: the turn limit/],
  ['not run: budget', /^Not run: the budget/],
  ['not run: stuck', /^Not run: the same call/],
  ['not run: deadline', /^Not run: the time/],
  ['not run: max_tokens', /^Not run: the response was cut off/],
  ['not run: aborted', /^Not run: the run was stopped/],
  ['not run: end_turn', /^Not run: the response that held it had ended the turn/],
  ['not run: summary', /^Not run: tools are disabled/],
  ['denied by a rule', /^A rule of this run denies/],
  ['denied by a person', /^The user denied this call: Not [\w-]+\. It did not run\./],
  ['timed_out', /^Python was stopped at the time limit of 1 s,/],
  ['interrupted', /^(\w+ was interrupted\b|Interrupted: )/],
  ['failed: invalid a', /^The input of read_file is not valid/],
  ['failed: invalid b', /^There is no tool "rm"/],
  ...LETTERS.flatMap((letter): Names => [
    [`failed: read ${letter}`, new RegExp(`^There is no file "read-${letter}\\.txt"`)],
    [
      `failed: ask ${letter}`,
      new RegExp(`^Python ended with exit code 1[^]*# ${letter}\\n[^]*no such column`),
    ],
  ]),
];

const nameOf = (text: string, names: Names): string =>
  names.find(([, pattern]) => pattern.test(text))?.[0] ?? `unknown ${JSON.stringify(text.slice(0, 200))}`;

interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What the model said goes back as it was; what the server adds on its way is the server's business. */
export function assistantBlock({ [PIECES]: pieces, ...block }: Block): string {
  // What is no JSON cannot go back as it was: it stands in an object.
  const raw = Array.isArray(pieces) ? { input: { INVALID_JSON: pieces.join('') } } : {};
  const fields = Object.entries({ ...block, ...raw })
    .filter(([name, value]) => !ADDED.has(name) && value !== null)
    .toSorted(([one], [other]) => one.localeCompare(other));
  return JSON.stringify(Object.fromEntries(fields));
}

const ADDED: ReadonlySet<string> = new Set(['signature', 'cache_control', 'caller', CUT]);

/** What tools of a host say is not known: it is told by how they ended. */
const OWN = [['succeeded', /^/]] as const;
const OWN_FAILED: Names = [...FAILED.filter(([name]) => !name.startsWith('failed')), ['failed', /^/]];

const userBlock =
  (hasOwnTools: boolean) =>
  ({ type, text, tool_use_id: id, content, is_error: isError }: Block): string => {
    if (type === 'text') return nameOf(String(text), USER);
    const names = isError === true ? (hasOwnTools ? OWN_FAILED : FAILED) : hasOwnTools ? OWN : SUCCEEDED;
    return `${String(id)} ${nameOf(String(content), names)}`;
  };

export const messageOf = (role: string, blocks: readonly string[]): string => `${role}: ${blocks.join(', ')}`;

interface Body {
  readonly max_tokens: number;
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
}

/** @param first of the limits of a turn's attempts; null: the budget has a say in it */
export function shapeOf(body: unknown, first: number | null, hasOwnTools: boolean): RequestShape {
  // The strict server has accepted it.
  const { max_tokens: maxTokens, messages } = body as Body;
  return {
    tools: kitRequestOf(body).mayCallTools ? 'on' : 'off',
    growths: first === null ? null : Math.log2(maxTokens / first),
    messages: messages.map(({ role, content }) =>
      messageOf(role, content.map(role === 'user' ? userBlock(hasOwnTools) : assistantBlock)),
    ),
  };
}
