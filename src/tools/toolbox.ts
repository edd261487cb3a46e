/** The tools of a run behind one port: it judges calls, and runs them so that every ending is an outcome. */
import type { Verdict } from '../../machines/index.ts';
import type { Judgement, Rule, Toolbox, ToolOutcome } from '../ports.ts';
import { headAndTail } from '../text/cut.ts';
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
  if (byName.size < options.tools.length) throw new TypeError('Two tools have the same name.');
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
  const invalid = (refusal: string): Judgement => ({
    verdict: 'invalid',
    effects: tool?.effects ?? 'none',
    refusal,
  });
  if (tool === undefined) return invalid(texts.toolbox.unknownTool(name, [...byName.keys()]));
  const takes = takesOf(tool.definition);
  if (malformed !== undefined) return invalid(texts.toolbox.malformedInput(name, malformed, takes));
  const parsed = tool.parse(input);
  if (!parsed.ok) return invalid(texts.toolbox.invalidInput(name, problemsOf(parsed.error), takes));
  const verdict = verdictOf(tool, rules, approveAll);
  const refusal = verdict === 'deny' ? texts.toolbox.deniedByRule(name, [...byName.keys()]) : null;
  return { verdict, effects: tool.effects, refusal };
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
  const stop = new AbortController();
  let soFar = '';
  const context: ToolContext = {
    workdir,
    texts,
    tools,
    hidden,
    signal: stop.signal,
    report: (text) => {
      soFar = text;
    },
  };
  const ended = tool.run(input, context).then(
    (content): ToolOutcome => ({ kind: 'succeeded', content }),
    (error: unknown): ToolOutcome => outcomeOfError(error, name, texts),
  );
  const cut = await cutShort(ended, tool.timeoutMs, signal);
  if (typeof cut !== 'string') return cut;
  stop.abort();
  await Promise.race([ended, after(graceMs)]);
  return cut === 'timed_out'
    ? {
        kind: 'timed_out',
        content: texts.toolbox.timedOut(name, tool.timeoutMs / 1_000, soFar),
        afterMs: tool.timeoutMs,
      }
    : { kind: 'interrupted', content: texts.toolbox.interrupted(name, soFar) };
}

function outcomeOfError(error: unknown, name: string, texts: ToolTexts): ToolOutcome {
  if (error instanceof ToolTimeout)
    return { kind: 'timed_out', content: error.message, afterMs: error.afterMs };
  if (error instanceof ToolError) return { kind: 'failed', content: error.message };
  return { kind: 'failed', content: texts.toolbox.failed(name, messageOf(error)) };
}

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
    const timer = setTimeout(() => finish('timed_out'), timeoutMs);
    if (signal.aborted) return interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    void ended.then(finish);
  });
}

const after = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

/** What the model is sent: masked, well-formed, and no longer than the cap. */
function fit(
  content: string,
  { texts, redact = (text) => text, maxOutputCharacters = 30_000 }: ToolboxOptions,
): string {
  const { head, tail, dropped } = headAndTail(redact(content.toWellFormed()), maxOutputCharacters);
  return dropped === 0 ? head : `${head}${texts.toolbox.cut(dropped)}${tail}`;
}
