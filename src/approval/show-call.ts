import { messageOf } from '../errors.ts';
import type { Confinement, ToolCall } from '../ports.ts';
import { fitLine, visible, visibleLine, wrapLine } from '../text/visible.ts';

/** What a person can read and change of a call's input: code as it is, anything else as JSON. */
export interface Listing {
  readonly text: string;
  /** Name for a file that holds it; the ending tells an editor what it is. */
  readonly fileName: string;
  /**
   * The input that a changed text stands for.
   * @throws {Error} with a message for people
   */
  parse(text: string): unknown;
}

/** An input that is one piece of code (`{ code }`) is listed as code, lest line ends and quotes be escaped. */
export function listingOf(input: unknown): Listing {
  const code = codeOf(input);
  return code === null
    ? { text: JSON.stringify(input, null, 2) ?? 'null', fileName: 'input.json', parse: parseJson }
    : { text: code, fileName: 'code.py', parse: (text) => ({ code: text }) };
}

/** What is said of a call beside its input. */
interface Beside {
  /** What it would change, as a diff. */
  readonly change?: string | null;
  readonly confinement?: Confinement | undefined;
}

/**
 * The tool and the whole input, nothing left out. Every line of the input stands behind a gutter, wrapped pieces too:
 * nothing in it can pass for the question below. So does what the call would change, where that is known.
 */
export function showCall(
  call: Pick<ToolCall, 'id' | 'name' | 'rule'>,
  listing: Listing,
  columns: number,
  { change = null, confinement }: Beside = {},
): string {
  // What a rule says may come from a file of others: on one line of the screen it cannot pass for a listing or a question.
  const rule = typeof call.rule === 'string' ? [fitLine(`Asked for by: ${call.rule}`, columns)] : [];
  const may = confinement === undefined ? '' : mayDo(confinement);
  return [
    ...rule,
    `${visibleLine(call.name)} wants to run (${fitLine(call.id, MAX_ID)})${may}:`,
    ...numbered(listing.text, columns),
    ...(change === null ? [] : ['What it would change:', ...numbered(change.replace(/\n$/, ''), columns)]),
    '',
  ].join('\n');
}

function mayDo({ sandbox, workdir, network }: Confinement): string {
  if (sandbox === 'none') return ', WITHOUT A SANDBOX: it can do all that you can';
  const more = [
    ...(workdir === 'rw' ? ['may change the workspace'] : []),
    ...(network ? ['has the network'] : []),
  ];
  return more.length === 0 ? '' : `; it ${more.join(' and ')}`;
}

function numbered(text: string, columns: number): readonly string[] {
  const lines = visible(text).split('\n');
  const digits = Math.max(String(lines.length).length, 3);
  const room = Math.max(columns - digits - GUTTER.length - 1, MIN_CODE_COLUMNS);
  const gutter = (label: string): string => `${label.padStart(digits)}${GUTTER}`;
  return lines.flatMap((line, index) =>
    [...wrapLine(line, room)].map((piece, part) => gutter(part === 0 ? String(index + 1) : '') + piece),
  );
}

/** In columns. */
const MAX_ID = 100;
const GUTTER = ' │ ';
const MIN_CODE_COLUMNS = 10;

function codeOf(input: unknown): string | null {
  if (typeof input !== 'object' || input === null || Object.keys(input).join() !== 'code') return null;
  return 'code' in input && typeof input.code === 'string' ? input.code : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`That is no JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
