/** How an unfinished run goes on, as a line that can be pasted. */
import { enoughUsd } from '../budget/cost.ts';
import type { JournalLine, RunResult } from '../ports.ts';
import { lastHeader, storedRun } from '../stored-run.ts';
import { visibleLine } from '../text/visible.ts';

/**
 * @param result null: the run broke off
 * @param lines of its journal
 * @returns null for a run that has its answer, or that no resumption helps
 */
export function goOnLine(
  result: RunResult | null,
  lines: readonly JournalLine[],
  stateDir: string,
): string | null {
  const [header] = lines;
  const ways = waysOf(result, lines);
  if (ways === null || header?.type !== 'run.started') return null;
  const where = stateDir === '.turnstile' ? '' : ` --state-dir ${quoted(stateDir)}`;
  const commands = ways.map((way) => `turnstile ${way.replace('RUN', visibleLine(header.runId))}${where}`);
  return `To go on: ${commands.join(', then ')}`;
}

function waysOf(result: RunResult | null, lines: readonly JournalLine[]): readonly string[] | null {
  if (result === null) return ['resume RUN'];
  if (result.state === 'waiting') {
    const { length } = result.callIds;
    return [...(length === 0 ? [] : [length === 1 ? 'approve RUN' : 'approve RUN --all']), 'resume RUN'];
  }
  switch (result.reason) {
    case 'end_turn':
    case 'context_window':
      return null;
    case 'max_turns':
      return [`resume RUN --max-turns ${result.turns + lastHeader(lines).limits.maxTurns}`];
    case 'budget':
      return [`resume RUN${budgetFor(lines)}`];
    case 'refusal':
    case 'stuck':
      return ['resume RUN "what to do instead"'];
    case 'deadline':
    case 'max_tokens':
    case 'model_failed':
    case 'aborted':
      return ['resume RUN'];
  }
}

/** Room for two more turns, of each budget that has none. */
function budgetFor(lines: readonly JournalLine[]): string {
  const { limits, spent, nextCost } = storedRun(lines).state.snapshot.context;
  const { nanoUsd, tokens } = limits.budget;
  const [usd, count] = [
    enough(nanoUsd, spent.nanoUsd, nextCost.nanoUsd),
    enough(tokens, spent.tokens, nextCost.tokens),
  ];
  return [
    usd === null ? '' : ` --max-usd ${enoughUsd(usd)}`,
    count === null ? '' : ` --token-budget ${count}`,
  ].join('');
}

/** Null where the limit is not in the way. */
const enough = (limit: number | null, used: number, next: number): number | null =>
  limit === null || used + next <= limit ? null : used + 2 * next;

/** For a shell, where it needs quotes. */
const quoted = (word: string): string =>
  /^[\w./@:+-]+$/.test(word) ? word : `'${visibleLine(word).replaceAll("'", String.raw`'\''`)}'`;
