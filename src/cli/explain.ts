/** Why a run did not end with an answer, and what to do next, in words for people. */
import { enoughUsd, formatUsd } from '../budget/cost.ts';
import { isFact } from '../journal/lines.ts';
import type { Fact, JournalHeader, JournalLine, RunResult, ToolCall } from '../ports.ts';
import { headerAt } from '../run-state.ts';
import { fitLine, visibleLine } from '../text/visible.ts';
import { needOf } from './budget-need.ts';
import { callLine, countOf, waysToAllow } from './lines.ts';

type Stopped = Extract<RunResult, { readonly state: 'stopped' }>;

/** @returns null when there is nothing to explain: the run has its answer, or a signal ended it */
export function explain(result: RunResult, lines: readonly JournalLine[]): string | null {
  const [header] = lines;
  if (header?.type !== 'run.started') return null;
  const facts = lines.filter(isFact);
  if (result.state === 'waiting') return waiting(facts, result.callIds);
  switch (result.reason) {
    case 'end_turn':
      return unanswered(result);
    case 'max_turns':
      return `The turn limit is reached${summed(result)}. Raise --max-turns for more.`;
    case 'budget':
      return overBudget(result, headerAt(header, facts), facts);
    case 'deadline':
      return `The time of --timeout was over before the task was done. Raise it.`;
    case 'refusal':
      return 'The model declined to go on. Change the task; stop_details in the result may name the category.';
    case 'max_tokens':
      return `The response was cut off${tokensOf(facts)}, ${result.answer === '' ? 'and nothing of it can be used' : 'so the answer is not whole'}. Raise --max-tokens, or ask for less at once.`;
    case 'context_window':
      return `Prompt and output do not fit the model${saying(result)} Give it less to read, or take a model with a larger window.`;
    case 'model_failed':
      return `The model failed${saying(result)}`;
    case 'stuck':
      return stuck(result, facts);
    case 'aborted':
      return aborted(facts);
  }
}

function waiting(facts: readonly Fact[], callIds: readonly string[]): string {
  if (callIds.length === 0) return 'The calls that the run asked for are decided, and have not run yet.';
  const waits = callsOf(facts).filter(({ id }) => callIds.includes(id));
  const names = waits.map((call) => `  ${visibleLine(call.id)}: ${fitLine(callLine(call), 120)}`);
  return [`The run waits for approval of ${countOf(waits.length, 'call')}.`, ...names].join('\n');
}

/** A model may end its turn with nothing to say. */
function unanswered({ answer, answerFrom }: Stopped): string | null {
  if (answer === '')
    return 'The model ended its turn without a word, so the answer is empty. Ask again, or say what form the answer is to have.';
  return answerFrom === 'closing_turn'
    ? null
    : 'The model ended its last turn without a word; the answer is what it had said before.';
}

const summed = ({ summary }: Stopped): string =>
  summary === 'answered' ? '; the last turn summed up' : '; there is no summary';

function overBudget(result: Stopped, header: JournalHeader, facts: readonly Fact[]): string {
  const { spent, next } = needOf(header, facts);
  const { nanoUsd, tokens } = header.limits.budget;
  const needs = [
    ...need(nanoUsd, spent.nanoUsd, next.nanoUsd, formatUsd, (usd) => `$${enoughUsd(usd)}`, '--max-usd'),
    ...need(tokens, spent.tokens, next.tokens, (count) => `${count} tokens`, String, '--token-budget'),
  ];
  const summary = result.summary === null || result.summary === 'skipped' ? '' : SUMMED_INSTEAD;
  return `The budget stopped the run. ${needs.join(' ')}${summary}`;
}

const SUMMED_INSTEAD = ' What was kept for it went into a final summary.';

function need(
  limit: number | null,
  spent: number,
  next: number,
  format: (amount: number) => string,
  enough: (amount: number) => string,
  option: string,
): readonly string[] {
  if (limit === null || spent + next <= limit) return [];
  return [
    `Another turn, with the summary that may follow, needs up to ${format(next)}; ${format(Math.max(0, limit - spent))} of ${format(limit)} was left. Raise ${option} to ${enough(spent + next)} or more.`,
  ];
}

function tokensOf(facts: readonly Fact[]): string {
  const last = facts.findLast((fact) => 'message' in fact);
  return last === undefined ? '' : ` at ${last.maxTokens} tokens`;
}

/** What the failure says is for people already, and names what to do where that is known. */
const saying = ({ failure }: Stopped): string =>
  failure === null ? '.' : `: ${visibleLine(failure.message)}`;

function stuck(result: Stopped, facts: readonly Fact[]): string {
  const failed = facts.findLast((fact) => fact.type === 'tool.finished' && fact.outcome.kind !== 'succeeded');
  const call = callsOf(facts).find(({ id }) => failed?.type === 'tool.finished' && id === failed.callId);
  const which = call === undefined ? '' : `: ${fitLine(callLine(call), 120)}`;
  return `The same call ended badly in turn after turn${which}${summed(result)}. Look at its error: a rule, a path, a missing file?`;
}

function aborted(facts: readonly Fact[]): string | null {
  const end = facts.findLast((fact) => fact.type === 'run.aborted');
  if (end?.by === 'person') return 'You stopped the run.';
  if (end?.by !== ON_ASK_FAIL) return null;
  const decided = new Set(facts.flatMap((fact) => (fact.type === 'approval.decided' ? [fact.callId] : [])));
  const call = callsOf(facts).findLast(({ id, verdict }) => verdict === 'ask' && !decided.has(id));
  const name = visibleLine(call?.name ?? 'a tool');
  return `${name} needs approval, and --on-ask fail stops the run then. To let it run: ${waysToAllow(name, call?.rule ?? null)}.`;
}

/** Who stopped the run, as `failOnAsk` says it. */
const ON_ASK_FAIL = 'on-ask fail';

const callsOf = (facts: readonly Fact[]): readonly ToolCall[] =>
  facts.flatMap((fact) => ('calls' in fact ? fact.calls : []));
