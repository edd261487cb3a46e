/** The tools of a run behind one port: it judges calls, and runs them so that every ending is an outcome. */
import type { Rule, Toolbox, ToolOutcome } from '../ports.ts';
import { compileRules } from '../rules/decide.ts';
import { headAndTail } from '../text/cut.ts';
import { createRedactor, type Redactor } from '../text/redact.ts';
import { MAX_OUTPUT_CHARACTERS, ToolError, type Tool, type ToolContext } from './define-tool.ts';
import { judge } from './judge.ts';
import { lineOf } from './line-of.ts';
import { workspaceAt } from './places.ts';
import { previewOf } from './preview.ts';
import type { ToolTexts } from './texts.ts';
import { cutShort, within } from './time-limit.ts';
import { ToolTimeout } from './tool-timeout.ts';

export interface ToolboxOptions {
  readonly tools: readonly Tool[];
  readonly rules?: readonly Rule[];
  /** Turns *ask* into *allow*; never a deny. */
  readonly approveAll?: boolean;
  /** Id of the run that the calls belong to. */
  readonly runId: string;
  readonly workdir: string;
  readonly texts: ToolTexts;
  /** Folders that tools never see, absolute. `.turnstile` is one wherever it is. */
  readonly hidden?: readonly string[];
  /** Masks secrets in what goes to the model. Default: nothing is masked. */
  readonly redact?: Redactor;
  /** Longest result, in characters. Default 30,000. */
  readonly maxOutputCharacters?: number;
  /** How long a tool that was told to end may take, in milliseconds, before it is abandoned. Default 1,000. */
  readonly graceMs?: number;
}

type Settings = ToolboxOptions & Required<Pick<ToolboxOptions, 'redact' | 'maxOutputCharacters'>>;

/** @throws {TypeError} when two tools have one name */
export function createToolbox(given: ToolboxOptions): Toolbox {
  const options: Settings = {
    redact: createRedactor([]),
    maxOutputCharacters: MAX_OUTPUT_CHARACTERS,
    ...given,
  };
  const byName = new Map(options.tools.map((tool) => [tool.definition.name, tool]));
  const twin = options.tools.find((tool) => byName.get(tool.definition.name) !== tool);
  if (twin) throw new TypeError(`Two tools have the name ${twin.definition.name}.`);
  const bench = {
    ...options,
    byName,
    decide: compileRules(options.rules ?? [], workspaceAt(options.workdir)),
  };
  return {
    definitions: options.tools.map(({ definition }) => definition),
    judge: (name, input, malformed) => {
      try {
        const judgement = judge(name, input, malformed, bench);
        const { refusal } = judgement;
        return { ...judgement, refusal: refusal === null ? null : fit(refusal, options) };
      } catch {
        const refusal = options.texts.toolbox.unmasked(name);
        return { verdict: 'invalid', effects: 'some', refusal, rule: null };
      }
    },
    preview: ({ id: callId, name, input }, signal) => {
      const call = { callId, signal, tools: [...byName.keys()], seen: { text: '', file: null } };
      return previewOf(byName.get(name), input, contextOf(call, options));
    },
    run: async (call, signal) => {
      const tool = byName.get(call.name);
      const outcome: ToolOutcome =
        tool === undefined
          ? { kind: 'failed', content: options.texts.toolbox.unknownTool(call.name, [...byName.keys()]) }
          : await runTool(tool, call, signal, [...byName.keys()], options);
      return masked(outcome, call.name, options);
    },
  };
}

/** Races the tool against its time and the run's signal; either one tells it to end, and waits for that a little. */
async function runTool(
  tool: Tool,
  { id: callId, input }: Parameters<Toolbox['run']>[0],
  signal: AbortSignal,
  tools: readonly string[],
  options: Settings,
): Promise<ToolOutcome> {
  const { texts, graceMs = 1_000 } = options;
  // The run was stopped after the call's turn had come: nothing may begin now.
  if (signal.aborted) return { kind: 'interrupted', content: texts.notRun('aborted') };
  const stop = new AbortController();
  const seen: Seen = { text: '', file: null };
  const ended = runToEnd(tool, input, contextOf({ callId, signal: stop.signal, tools, seen }, options));
  const cut = await cutShort(ended, tool.timeoutMs, signal);
  if (typeof cut !== 'string') return withFile(cut, seen);
  stop.abort();
  await within(graceMs, ended);
  return withFile(outcomeOfCut(cut, tool, seen.text, texts), seen);
}

/** What a tool has said of a call that is under way. */
interface Seen {
  text: string;
  file: string | null;
}

interface Call extends Pick<ToolContext, 'callId' | 'signal' | 'tools'> {
  readonly seen: Seen;
}

const contextOf = (
  { seen, ...call }: Call,
  { runId, workdir, texts, hidden = [], redact, maxOutputCharacters }: Settings,
): ToolContext => ({
  ...call,
  runId,
  workdir,
  texts,
  hidden,
  redact,
  maxOutputCharacters,
  // Written in JavaScript, a tool may report anything.
  report: (text: unknown) => {
    seen.text = String(text);
  },
  noteOutputFile: (name: unknown) => {
    seen.file = String(name);
  },
});

const withFile = (outcome: ToolOutcome, { file }: Seen): ToolOutcome =>
  file === null ? outcome : { ...outcome, outputFile: file };

function outcomeOfCut(
  cut: 'timed_out' | 'interrupted',
  { definition: { name }, timeoutMs }: Tool,
  soFar: string,
  { toolbox: texts }: ToolTexts,
): ToolOutcome {
  return cut === 'timed_out'
    ? { kind: cut, content: texts.timedOut(name, timeoutMs / 1_000, soFar), afterMs: timeoutMs }
    : { kind: cut, content: texts.interrupted(name, soFar) };
}

/** Never rejects. */
async function runToEnd(tool: Tool, input: unknown, context: ToolContext): Promise<ToolOutcome> {
  try {
    // Written in JavaScript, a tool may return anything.
    const content: unknown = await tool.run(input, context);
    if (typeof content === 'string') return { kind: 'succeeded', content };
    throw new TypeError(`it returned ${typeof content} where a string was expected`);
  } catch (error) {
    return outcomeOfError(error, tool.definition.name, context);
  }
}

function outcomeOfError(error: unknown, name: string, { texts, redact }: ToolContext): ToolOutcome {
  if (error instanceof ToolTimeout)
    return { kind: 'timed_out', content: error.message, afterMs: error.afterMs };
  if (error instanceof ToolError) return { kind: 'failed', content: error.message };
  return { kind: 'failed', content: texts.toolbox.failed(name, lineOf(error, redact)) };
}

/** What cannot be masked is not sent, nor are the words of what the mask has thrown: a secret may stand in them. */
function masked(outcome: ToolOutcome, name: string, options: Settings): ToolOutcome {
  try {
    return { ...outcome, content: fit(outcome.content, options) };
  } catch {
    return { kind: 'failed', content: options.texts.toolbox.unmasked(name) };
  }
}

/** What the model is sent: masked, well-formed, and no longer than the cap. */
function fit(content: string, { texts, redact, maxOutputCharacters }: Settings): string {
  const { head, tail, dropped } = headAndTail(redact(content.toWellFormed()), maxOutputCharacters);
  return dropped === 0 ? head : `${head}${texts.toolbox.cut(dropped)}${tail}`;
}
