/** A new run that begins with what another one recorded. */
import { boundsFor, promptBound } from './budget/bounds.ts';
import { UserError } from './errors.ts';
import type { JournalHeader, JournalLine, ToolDefinition } from './ports.ts';
import { storedRun } from './stored-run.ts';

export interface ForkChanges {
  /** Of the new run. */
  readonly runId: string;
  /** When it begins: ISO 8601 in UTC. */
  readonly at: string;
  /** Instead of the text that the run began with. */
  readonly system?: string;
  /** Instead of the tools that it began with. */
  readonly tools?: readonly ToolDefinition[];
}

/**
 * The lines that a new run begins with. Where `system` or `tools` are given, the thoughts of the model are left out: the
 * API binds them to the text and the tools that they were thought with, and would refuse the next request.
 * @throws {UserError} when the lines are no journal
 */
export function forkedLines(lines: readonly JournalLine[], changes: ForkChanges): readonly JournalLine[] {
  storedRun(lines);
  const { runId, at, system, tools } = changes;
  const isChanged = system !== undefined || tools !== undefined;
  return lines.map((line) => {
    if (line.type === 'run.started')
      return {
        ...withChanges(line, { system, tools }),
        runId,
        at,
        forkOf: { runId: line.runId, lines: lines.length },
      };
    if (line.type === 'run.ended') return { ...line, result: { ...line.result, runId } };
    return isChanged ? withoutThinking(line) : line;
  });
}

function withChanges(
  header: JournalHeader,
  { system, tools }: { readonly [Field in 'system' | 'tools']: JournalHeader[Field] | undefined },
): JournalHeader {
  if (system === undefined && tools === undefined) return header;
  const changed = { ...header, system: system ?? header.system, tools: tools ?? header.tools };
  return { ...changed, ...boundsFor(promptBound(changed, []), changed.price) };
}

const THINKING: readonly string[] = ['thinking', 'redacted_thinking'];

function withoutThinking(line: JournalLine): JournalLine {
  if (!('message' in line)) return line;
  const content = line.message.content.filter(({ type }) => !THINKING.includes(type));
  return { ...line, message: { ...line.message, content } };
}

/**
 * The lines of a fork whose last one has other words of the user in it. What they add to the next request is worked out again.
 * @throws {UserError} when the user says nothing in the last line
 */
export function withMessage(lines: readonly JournalLine[], message: string): readonly JournalLine[] {
  const before = lines.slice(0, -1);
  return [...before, lineWith(before, lines.at(-1), message.toWellFormed())];
}

function lineWith(before: readonly JournalLine[], last: JournalLine | undefined, text: string): JournalLine {
  if (text.trim() === '') throw new UserError('--edit-message: the message is blank.');
  if (last?.type === 'run.started')
    return { ...last, task: text, ...boundsFor(promptBound({ ...last, task: text }, []), last.price) };
  const { state } = storedRun(before);
  if (last?.type === 'user.interjected') return { ...state.priced({ ...last, text }), at: last.at };
  if (last?.type === 'run.resumed' && last.hasWords)
    return { ...state.priced({ ...last, words: [text] }), at: last.at };
  throw new UserError(
    '--edit-message: the user says nothing in that line. Line 1 has the task; `run.resumed` and `user.interjected` have messages.',
  );
}
