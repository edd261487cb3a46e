/** Lines for people: of single facts, and the last one of a run. */
import { formatUsd } from '../budget/cost.ts';
import type { DecidingRule, Fact, FactOf, JournalHeader, RunResult, ToolCall } from '../ports.ts';
import { visibleLine } from '../text/visible.ts';

/** `1 turn`, `2 turns` */
export const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

export function failureLine({ failure, delayMs }: FactOf<'model.failed'>): string {
  const next = delayMs === null ? '' : ` Trying again in ${seconds(delayMs)}.`;
  return `${visibleLine(failure.message)}${next}`;
}

export function decisionLine({ decision, by, reason, edited, rule }: FactOf<'approval.decided'>): string {
  // What a person wrote was judged as well, and the reason says how.
  if (decision === 'deny' && edited !== null && reason !== null) return visibleLine(reason);
  const who = by === 'person' ? 'you' : by === 'flag' ? '--yes' : visibleLine(by);
  const how = edited === null ? '' : ', edited';
  if (by === 'always') return `approved by what you said earlier${ruleAfter(rule)}`;
  return `${decision === 'deny' ? 'denied' : 'approved'} by ${who}${how}${rule === undefined ? '' : `, from here on${ruleAfter(rule)}`}`;
}

const ruleAfter = (rule: string | undefined): string => (rule === undefined ? '' : `: ${visibleLine(rule)}`);

/** What decided about a call; empty where that is the default of its tool. */
export function ruleOf({ rule = null }: Pick<ToolCall, 'rule'>): string {
  if (rule === null || rule === 'beforeTool') return rule === null ? '' : 'the program (beforeTool)';
  return rule === 'approveAll' ? '--yes' : `the rule ${visibleLine(rule)}`;
}

/** Options that let a call run that is asked for. An allow does not help where a rule asks. */
export const waysToAllow = (tool: string, rule: DecidingRule): string =>
  rule?.startsWith('ask ') === true
    ? `--yes, or run it without the rule ${visibleLine(rule)}`
    : `--yes, or --allow ${tool}`;

/** A call on one line. */
export const callLine = ({ name, input }: Pick<ToolCall, 'name' | 'input'>): string =>
  visibleLine(`${name} ${JSON.stringify(input)}`);

export function requestLine(fact: Extract<Fact, { readonly request: string }>): string {
  const tokens =
    fact.usage === null
      ? 'usage not reported'
      : `${fact.usage.input_tokens} + ${fact.usage.output_tokens} tokens`;
  const end = 'message' in fact ? (fact.message.stopReason ?? 'no stop_reason') : 'failed';
  const id = fact.requestId === null ? '' : `, ${visibleLine(fact.requestId)}`;
  return `${visibleLine(end)}, ${tokens}, ${seconds(fact.durationMs)}${id}`;
}

/** The last line of a run: how it ended, and what it took. */
export function summaryLine(result: RunResult, header: Pick<JournalHeader, 'model'>): string {
  if (result.state === 'waiting') return visibleLine(`waiting (${header.model}, run ${result.runId})`);
  const { usage, turns, costUsd } = result;
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const cost = costUsd === null ? 'price not known' : formatUsd(Math.round(costUsd * 1e9));
  const rest = result.isUsageIncomplete ? ', usage incomplete' : '';
  return visibleLine(
    `${result.reason}: ${countOf(turns, 'turn')}, ${input} + ${usage.outputTokens} tokens, ${cost}${rest} (${header.model}, run ${result.runId})`,
  );
}
