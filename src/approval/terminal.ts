/** Asks a person at a terminal before a tool call runs. */
import { messageOf } from '../errors.ts';
import type { Approver, Confinement, Decision, Preview, ToolCall } from '../ports.ts';
import { redactJson, type Redactor } from '../text/redact.ts';
import { visible, visibleLine } from '../text/visible.ts';
import { askLine, type Keyboard } from './ask-line.ts';
import type { Edit } from './editor.ts';
import type { Dialog, Screen } from './screen.ts';
import { listingOf, showCall } from './show-call.ts';

export interface TerminalApproverOptions {
  readonly keyboard: Keyboard;
  /** Where the questions go: the screen that everybody else writes to as well. */
  readonly screen: Screen;
  /** The person's editor; without it nothing can be edited. */
  readonly edit?: Edit;
  /** Masks what is shown; the editor has the input as it is. */
  readonly redact?: Redactor;
  /** How what a tool runs is confined: said with every call. */
  readonly confinementOf?: (tool: string) => Confinement | undefined;
}

/**
 * An approver that shows the whole call and reads one line. End of input, `signal`, or a terminal that is gone: the
 * decision waits. "Always" adds a rule for calls of
 * this tool that are asked for by the same rule, or by none; it holds as long as this approver lives.
 */
export function createTerminalApprover(options: TerminalApproverOptions): Required<Approver> {
  const { keyboard, screen } = options;
  const always: Always = new Map();
  return {
    decide: (call, signal, preview) =>
      screen.converse(async (dialog): Promise<Decision> => {
        // Looked up only now: the dialog before this one may have said so.
        const rule = always.get(keyOf(call));
        if (rule !== undefined) return { decision: 'approve', by: 'always', rule };
        return askAbout(call, { ...options, dialog, signal, always, preview });
      }),
    raiseLimit: (turns, signal) =>
      screen.converse(async (dialog) => {
        const question = `${turns === 1 ? '1 turn is' : `${turns} turns are`} used up. How many more? [0] `;
        for (;;) {
          const line = await ask(question, { keyboard, dialog, signal });
          if (line === null) return 0;
          if (/^\d{0,6}$/.test(line)) return Number(line);
          await dialog.show('A whole number, please, or Enter for none.\n');
        }
      }),
  };
}

interface Talk extends TerminalApproverOptions {
  readonly dialog: Dialog;
  readonly signal: AbortSignal;
  readonly always: Always;
  readonly preview: Preview | undefined;
}

/** Rules that the person added, by what asks for the calls that they are about. */
type Always = Map<string, string>;

const keyOf = ({ name, rule = null }: ToolCall): string => JSON.stringify([name, rule]);

/** `ask *(path=a)` of a call of `read_file` becomes `allow read_file(path=a)`. */
function allowingRule({ name, rule = null }: ToolCall): string {
  const [, match = ''] = /^ask [^(]+(\(.*\))?$/s.exec(rule ?? '') ?? [];
  return `allow ${name}${match}`;
}

async function askAbout(call: ToolCall, talk: Talk): Promise<Decision> {
  let input = call.input;
  let isShown = false;
  for (;;) {
    isShown ||= await show(call, input, talk);
    const line = isShown ? await ask(questionAbout(call), talk) : null;
    if (line === null) return { decision: 'wait' };
    const answer = parseAnswer(line);
    if (answer.kind === 'decided') return answer.decision;
    if (answer.kind === 'approved') {
      const edited = input === call.input ? {} : { edited: input };
      const rule = answer.isForAll ? { rule: await addRule(call, talk) } : {};
      return { decision: 'approve', by: 'person', ...edited, ...rule };
    }
    if (answer.kind === 'edit') {
      const changed = await changedInput(input, talk);
      if (changed !== null) [input, isShown] = [changed.input, false];
    } else {
      await talk.dialog.show(`"${visibleLine(line)}" is no answer. Type y, n, e, a or q, then Enter.\n`);
    }
  }
}

async function show(
  call: ToolCall,
  input: unknown,
  { dialog, screen, preview, confinementOf, redact = asIs }: Talk,
): Promise<boolean> {
  const change = (await preview?.(input)) ?? null;
  return dialog.show(
    showCall(call, listingOf(redactJson(input, redact)), screen.columns, {
      change,
      confinement: confinementOf?.(call.name),
    }),
  );
}

const asIs: Redactor = (text) => text;

async function addRule(call: ToolCall, { always, dialog }: Talk): Promise<string> {
  const rule = allowingRule(call);
  always.set(keyOf(call), rule);
  await dialog.show(`From here on, until this command ends: ${visibleLine(rule)}\n`);
  return rule;
}

const questionAbout = ({ name, rule = null }: ToolCall): string =>
  `Run ${visibleLine(name)}? [y]es / [n]o / [e]dit / [a]lways ${rule === null ? 'this tool' : 'by this rule'} / [q]uit (a reason may follow n): `;

/** Without an answer the cursor stays where the question ends, and whoever writes next starts a line. */
async function ask(
  question: string,
  { keyboard, dialog, signal }: Pick<Talk, 'keyboard' | 'dialog' | 'signal'>,
): Promise<string | null> {
  const line = await askLine(keyboard, () => dialog.show(question), signal);
  if (line !== null) dialog.entered();
  return line === null ? null : line.trim();
}

type Answer =
  | { readonly kind: 'approved'; readonly isForAll: boolean }
  | { readonly kind: 'decided'; readonly decision: Decision }
  | { readonly kind: 'edit' | 'unclear' };

/** A letter that was typed twice is that letter, but no other word that begins with it: "yikes" is no yes. */
function parseAnswer(line: string): Answer {
  if (/^(y+|yes)$/i.test(line)) return { kind: 'approved', isForAll: false };
  if (/^(a+|always)$/i.test(line)) return { kind: 'approved', isForAll: true };
  if (/^(e+|edit)$/i.test(line)) return { kind: 'edit' };
  if (/^(q+|quit)$/i.test(line)) return { kind: 'decided', decision: { decision: 'quit', by: 'person' } };
  const no = /^(?:n+|no)(?:[\s,:]+(.+))?$/i.exec(line);
  if (no === null) return { kind: 'unclear' };
  const reason = no[1] === undefined ? null : visibleLine(no[1]);
  return { kind: 'decided', decision: { decision: 'deny', by: 'person', reason } };
}

/** Null when there is no changed input; the person was told why. */
async function changedInput(
  input: unknown,
  { edit, dialog, signal }: Talk,
): Promise<{ readonly input: unknown } | null> {
  const listing = listingOf(input);
  try {
    if (edit === undefined) throw new Error('There is no editor here.');
    const text = await edit(listing.text, listing.fileName, signal);
    return text === listing.text ? null : { input: listing.parse(text) };
  } catch (error) {
    await dialog.show(`${visible(messageOf(error))}\n`);
    return null;
  }
}
