/** The tools of a run behind one port: it judges calls, and runs them so that every ending is an outcome. */
import type { Verdict } from '../../machines/index.ts';
import type { Judgement, Rule, Toolbox, ToolOutcome } from '../ports.ts';
import { cutHead, headAndTail } from '../text/cut.ts';
import { messageOf } from '../errors.ts';
import { ToolError, type Tool, type ToolContext } from './define-tool.ts';
import { problemsOf, takesOf } from './input-problems.ts';
import type { ToolTexts } from './texts.ts';
import { ToolTimeout } from './tool-timeout.ts';

export interface ToolboxOptions {
  readonly tools: readonly Tool[];
  readonly rules?: readonly Rule[];
  /** Turns *ask* into *allow*; never a deny. */
  readonly approveAll?: boolean;
  readonly workdir: string;
  readonly texts: ToolTexts;
  /** Folders that tools never see, absolute. `.turnstile` is one wherever it is. */
  readonly hidden?: readonly string[];
  /** Masks secrets in what goes to the model. */
  readonly redact?: (text: string) => string;
  /** Longest result, in characters. Default 30,000. */
  readonly maxOutputCharacters?: number;
  /** How long a tool that was told to end may take, in milliseconds, before it is abandoned. Default 1,000. */
  readonly graceMs?: number;
}

/** @throws {TypeError} when two tools have one name */
export function createToolbox(options: ToolboxOptions): Toolbox {
  const byName = new Map(options.tools.map((tool) => [tool.definition.name, tool]));
  const twin = options.tools.find((tool) => byName.get(tool.definition.name) !== tool);
  if (twin) throw new TypeError(`Two tools have the name ${twin.definition.name}.`);
  return {
    definitions: options.tools.map(({ definition }) => definition),
    judge: (name, input, malformed) => {
      const judgement = judge(name, input, malformed, byName, options);
      const { refusal } = judgement;
      return { ...judgement, refusal: refusal === null ? null : fit(refusal, options) };
    },
    run: async (call, signal) => {
      const tool = byName.get(call.name);
      const outcome: ToolOutcome =
        tool === undefined
          ? { kind: 'failed', content: options.texts.toolbox.unknownTool(call.name, [...byName.keys()]) }
          : await runTool(tool, call.input, signal, [...byName.keys()], options);
      return { ...outcome, content: fit(outcome.content, options) };
    },
  };
}

/**
 * Input is checked although the schema was sent. Nothing is coerced (a list sent as a JSON string, null for a missing
 * field): an error that names the field and what it takes is corrected by the model, a wrong guess is not noticed.
 */
function judge(
  name: string,
  input: unknown,
  malformed: string | undefined,
  byName: ReadonlyMap<string, Tool>,
  { texts, rules = [], approveAll = false }: ToolboxOptions,
): Judgement {
  const tool = byName.get(name);
  if (tool === undefined) {
    return {
      verdict: 'invalid',
      effects: 'none',
      refusal: texts.toolbox.unknownTool(name, [...byName.keys()]),
    };
  }
  const fault = faultOf(tool, input, malformed, texts);
  if (fault !== null) return { verdict: 'invalid', effects: tool.effects, refusal: fault };
  const verdict = verdictOf(tool, rules, approveAll);
  const refusal = verdict === 'deny' ? texts.toolbox.deniedByRule(name, [...byName.keys()]) : null;
  return { verdict, effects: tool.effects, refusal };
}

/** What is wrong with an input. */
function faultOf(
  tool: Tool,
  input: unknown,
  malformed: string | undefined,
  { toolbox: texts }: ToolTexts,
): string | null {
  const { name } = tool.definition;
  const takes = takesOf(tool.definition);
  if (malformed !== undefined) return texts.malformedInput(name, malformed, takes);
  try {
    const parsed = tool.parse(input);
    return parsed.ok ? null : texts.invalidInput(name, problemsOf(parsed.error), takes);
  } catch (error) {
    // A check of the host's schema threw, or is asynchronous.
    return texts.failed(name, lineOf(error));
  }
}

/** Deny beats ask beats allow, in whatever order the rules stand. */
function verdictOf(tool: Tool, rules: readonly Rule[], approveAll: boolean): Verdict {
  const verdicts = rules.filter((rule) => rule.tool === tool.definition.name).map(({ verdict }) => verdict);
  if (verdicts.includes('deny')) return 'deny';
  const isAsked = verdicts.includes('ask') || (!verdicts.includes('allow') && tool.effects === 'some');
  return isAsked && !approveAll ? 'ask' : 'allow';
}

/** Races the tool against its time and the run's signal; either one tells it to end, and waits for that a little. */
async function runTool(
  tool: Tool,
  input: unknown,
  signal: AbortSignal,
  tools: readonly string[],
  { workdir, texts, hidden = [], graceMs = 1_000 }: ToolboxOptions,
): Promise<ToolOutcome> {
  const { name } = tool.definition;
  // The run was stopped after the call's turn had come: nothing may begin now.
  if (signal.aborted) return { kind: 'interrupted', content: texts.notRun('aborted') };
  const stop = new AbortController();
  let soFar = '';
  const context: ToolContext = {
    workdir,
    texts,
    tools,
    hidden,
    signal: stop.signal,
    // Written in JavaScript, a tool may report anything.
    report: (text: unknown) => {
      soFar = String(text);
    },
  };
  const ended = runToEnd(tool, input, context);
  const cut = await cutShort(ended, tool.timeoutMs, signal);
  if (typeof cut !== 'string') return cut;
  stop.abort();
  await within(graceMs, ended);
  return cut === 'timed_out'
    ? {
        kind: 'timed_out',
        content: texts.toolbox.timedOut(name, tool.timeoutMs / 1_000, soFar),
        afterMs: tool.timeoutMs,
      }
    : { kind: 'interrupted', content: texts.toolbox.interrupted(name, soFar) };
}

/** Never rejects. */
async function runToEnd(tool: Tool, input: unknown, context: ToolContext): Promise<ToolOutcome> {
  try {
    // Written in JavaScript, a tool may return anything.
    const content: unknown = await tool.run(input, context);
    if (typeof content === 'string') return { kind: 'succeeded', content };
    throw new TypeError(`it returned ${typeof content} where a string was expected`);
  } catch (error) {
    return outcomeOfError(error, tool.definition.name, context.texts);
  }
}

function outcomeOfError(error: unknown, name: string, texts: ToolTexts): ToolOutcome {
  if (error instanceof ToolTimeout)
    return { kind: 'timed_out', content: error.message, afterMs: error.afterMs };
  if (error instanceof ToolError) return { kind: 'failed', content: error.message };
  return { kind: 'failed', content: texts.toolbox.failed(name, lineOf(error)) };
}

const MAX_LINE = 500;

/** What was thrown, in one line. It need not be an error, nor have a text at all. */
function lineOf(error: unknown): string {
  try {
    const line = messageOf(error)
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim();
    return line === '' ? 'no reason was given' : cutHead(line, MAX_LINE);
  } catch {
    return 'no reason was given';
  }
}

/** Longer times do not fit into Node's timers, which would then fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** How the tool ended, or why it has to. */
function cutShort(
  ended: Promise<ToolOutcome>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ToolOutcome | 'timed_out' | 'interrupted'> {
  return new Promise((resolve) => {
    const finish = (how: ToolOutcome | 'timed_out' | 'interrupted'): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      resolve(how);
    };
    const interrupt = (): void => finish('interrupted');
    const timer = setTimeout(() => finish('timed_out'), Math.min(timeoutMs, MAX_TIMER_MS));
    // The tool's own first step may have stopped the run.
    if (signal.aborted) return interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    void ended.then(finish);
  });
}

/** Waits for the end of a tool, but no longer than `ms`. */
const within = (ms: number, ended: Promise<unknown>): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    void ended.then(finish);
  });

/** What the model is sent: masked, well-formed, and no longer than the cap. */
function fit(
  content: string,
  { texts, redact = (text) => text, maxOutputCharacters = 30_000 }: ToolboxOptions,
): string {
  const { head, tail, dropped } = headAndTail(redact(content.toWellFormed()), maxOutputCharacters);
  return dropped === 0 ? head : `${head}${texts.toolbox.cut(dropped)}${tail}`;
}
