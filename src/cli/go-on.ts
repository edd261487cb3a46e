/** How an unfinished run goes on, as a line that can be pasted. */
import type { RunResult } from '../ports.ts';
import { visibleLine } from '../text/visible.ts';
import type { RunOptions } from './options.ts';

/**
 * @param result null: the run broke off
 * @returns null for a run that has its answer, or that no resumption helps
 */
export function goOnLine(
  result: RunResult | null,
  runId: string,
  options: Pick<RunOptions, 'stateDir' | 'maxTurns'>,
): string | null {
  const ways = waysOf(result, options);
  if (ways === null) return null;
  const where = options.stateDir === '.turnstile' ? '' : ` --state-dir ${quoted(options.stateDir)}`;
  const commands = ways.map((way) => `turnstile ${way.replace('RUN', runId)}${where}`);
  return `To go on: ${commands.join(', then ')}`;
}

function waysOf(
  result: RunResult | null,
  { maxTurns }: Pick<RunOptions, 'maxTurns'>,
): readonly string[] | null {
  if (result === null) return ['resume RUN'];
  if (result.state === 'waiting')
    return result.callIds.length > 0 ? ['approve RUN', 'resume RUN'] : ['resume RUN'];
  switch (result.reason) {
    case 'end_turn':
    case 'context_window':
      return null;
    case 'max_turns':
      return [`resume RUN --max-turns ${result.turns + maxTurns}`];
    case 'budget':
      return ['resume RUN with a larger budget'];
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

/** For a shell, where it needs quotes. */
const quoted = (word: string): string =>
  /^[\w./@:+-]+$/.test(word) ? word : `'${visibleLine(word).replaceAll("'", String.raw`'\''`)}'`;
