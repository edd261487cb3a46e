/** What a person sees while a run works: lines on stderr, and on a terminal what the model says as it comes. */
import type { AgentRun } from '../agent.ts';
import { formatUsd } from '../budget/cost.ts';
import type { Screen } from '../approval/screen.ts';
import type { RunEvent } from '../events.ts';
import type { Fact, FactOf, JournalHeader, RunResult, ToolCall } from '../ports.ts';
import { fitLine, visible, visibleLine } from '../text/visible.ts';
import type { Colors } from './colors.ts';

export interface LiveOptions {
  readonly screen: Screen;
  readonly colors: Colors;
  /** Deltas are shown only where somebody looks. */
  readonly isTerminal: boolean;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
}

/** Follows a run to its end. Resolves when nothing more will be shown. */
export async function follow(run: AgentRun, maxTurns: number, options: LiveOptions): Promise<void> {
  if (options.isQuiet) return;
  const view = new LiveView(maxTurns, options);
  for await (const event of run) view.show(event);
}

class LiveView {
  readonly #options: LiveOptions;
  readonly #calls = new Map<string, ToolCall>();
  #maxTurns: number;
  #turn = 0;
  #nanoUsd = 0;

  constructor(maxTurns: number, options: LiveOptions) {
    this.#maxTurns = maxTurns;
    this.#options = options;
  }

  show(event: RunEvent): void {
    const { screen, isTerminal } = this.#options;
    if (event.type === 'text.delta') {
      if (isTerminal) screen.write(visible(event.text));
    } else if (event.type !== 'thinking.delta' && event.type !== 'tool_input.delta') {
      this.#count(event);
      const line = this.#lineOf(event);
      if (line !== null) screen.line(line);
    }
  }

  #count(fact: Fact): void {
    if ('cost' in fact) this.#nanoUsd += fact.cost.nanoUsd;
    if ('calls' in fact) for (const call of fact.calls) this.#calls.set(call.id, call);
    if (isTurn(fact)) this.#turn += 1;
    if (fact.type === 'limit.raised') this.#maxTurns += fact.turns;
  }

  #lineOf(fact: Fact): string | null {
    const { colors, isVerbose } = this.#options;
    switch (fact.type) {
      case 'model.called_tools':
        return colors.dim(
          `turn ${this.#turn}/${this.#maxTurns}, ${formatUsd(this.#nanoUsd)}: ${countOf(fact.calls.length, 'tool call')}`,
        );
      case 'model.failed':
        return colors.yellow(failureLine(fact));
      case 'model.truncated':
        return fact.canGrow
          ? colors.yellow(`cut off at ${fact.maxTokens} tokens; asking again with more`)
          : null;
      case 'tool.started':
        return isVerbose ? colors.dim(`  … ${this.#nameOf(fact.callId)}`) : null;
      case 'tool.finished':
        return this.#resultLine(fact);
      case 'approval.decided':
        return isVerbose || fact.decision === 'deny'
          ? colors.dim(`  ${fact.decision === 'deny' ? 'denied' : 'approved'} by ${fact.by}`)
          : null;
      case 'user.interjected':
        return colors.dim('  noted; it joins the next request');
      case 'model.answered':
      case 'model.paused':
      case 'model.refused':
      case 'model.overflowed':
      case 'retry.due':
      case 'limit.raised':
      case 'limit.kept':
      case 'run.aborted':
        return isVerbose ? colors.dim(`  ${fact.type}`) : null;
    }
  }

  #resultLine(fact: FactOf<'tool.finished'>): string {
    const { colors, isVerbose, screen } = this.#options;
    const isGood = fact.outcome.kind === 'succeeded';
    const mark = isGood ? colors.green('✓') : colors.red('✗');
    const end = isGood ? '' : ` ${fact.outcome.kind}`;
    const room = screen.columns - 24;
    const head = `  ${mark} ${fitLine(this.#nameOf(fact.callId), Math.max(20, room))}${end}, ${seconds(fact.durationMs)}`;
    return isVerbose ? `${head}\n${indent(visible(fact.outcome.content))}` : head;
  }

  #nameOf(callId: string): string {
    const call = this.#calls.get(callId);
    return visibleLine(call === undefined ? callId : `${call.name} ${JSON.stringify(call.input)}`);
  }
}

/** A response that counts: not a paused part of one, nor one that is asked again with more room. */
const isTurn = (fact: Fact): boolean =>
  'message' in fact && fact.type !== 'model.paused' && !(fact.type === 'model.truncated' && fact.canGrow);

const indent = (text: string): string => text.replaceAll(/^/gm, '    ');

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function failureLine({ failure, delayMs }: FactOf<'model.failed'>): string {
  const next = delayMs === null ? '' : ` Trying again in ${seconds(delayMs)}.`;
  return `${visibleLine(failure.message)}${next}`;
}

/** The last line of a run: why it stopped, and what it took. */
export function summaryLine(result: RunResult, header: Pick<JournalHeader, 'model'>): string {
  if (result.state === 'waiting') {
    return `Waiting for approval of ${countOf(result.callIds.length, 'call')} (run ${result.runId}).`;
  }
  const { usage, turns, costUsd } = result;
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const cost = costUsd === null ? 'price not known' : formatUsd(Math.round(costUsd * 1e9));
  const rest = result.isUsageIncomplete ? ', usage incomplete' : '';
  const why = result.failure === null ? '' : ` ${visibleLine(result.failure.message)}`;
  return `${result.reason}: ${countOf(turns, 'turn')}, ${input} + ${usage.outputTokens} tokens, ${cost}${rest} (${header.model}, run ${result.runId})${why}`;
}
