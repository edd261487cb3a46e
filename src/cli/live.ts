/** What a person sees while a run works: lines on stderr, and on a terminal what the model says as it comes. */
import { formatUsd } from '../budget/cost.ts';
import type { Screen } from '../approval/screen.ts';
import { DEFAULT_LIMITS } from '../defaults.ts';
import type { RunEvent } from '../events.ts';
import type { DecidingRule, Fact, FactOf, ToolCall } from '../ports.ts';
import { fitLine, visible, visibleLine } from '../text/visible.ts';
import type { Colors } from './colors.ts';
import { callLine, countOf, decisionLine, failureLine, requestLine, ruleOf, seconds } from './lines.ts';

export interface LiveOptions {
  /** What the run had recorded before: counted, not shown. */
  readonly past: readonly Fact[];
  readonly screen: Screen;
  readonly colors: Colors;
  /** Deltas are shown only where somebody looks. */
  readonly isTerminal: boolean;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
  /** Why nobody can be asked; null when somebody can. */
  readonly nobody: string | null;
  /** Options that let a call of this tool run, which this rule asks for. */
  readonly waysOn: (tool: string, rule: DecidingRule) => string;
}

/** Follows a run to its end. Resolves when nothing more will be shown. */
export async function follow(
  run: AsyncIterable<RunEvent>,
  maxTurns: number,
  options: LiveOptions,
): Promise<void> {
  const view = new LiveView(maxTurns, options);
  for (const fact of options.past) view.count(fact);
  for await (const event of run) view.show(event);
}

class LiveView {
  readonly #options: LiveOptions;
  readonly #calls = new Map<string, ToolCall>();
  readonly #edited = new Set<string>();
  #maxTurns: number;
  #turn = 0;
  #nanoUsd = 0;
  #failures = 0;
  #hasHinted = false;

  constructor(maxTurns: number, options: LiveOptions) {
    this.#maxTurns = maxTurns;
    this.#options = options;
  }

  show(event: RunEvent): void {
    const { screen, isTerminal, isQuiet } = this.#options;
    if (event.type === 'text.delta') {
      if (isTerminal && !isQuiet) screen.write(visible(event.text));
    } else if (event.type !== 'thinking.delta' && event.type !== 'tool_input.delta') {
      this.count(event);
      const line = this.#warningOf(event) ?? (isQuiet ? null : this.#lineOf(event));
      if (line !== null) screen.line(line);
    }
  }

  count(fact: Fact): void {
    if ('cost' in fact) this.#nanoUsd += fact.cost.nanoUsd;
    if ('calls' in fact) for (const call of fact.calls) this.#calls.set(call.id, call);
    if (isTurn(fact)) this.#turn += 1;
    if (fact.type === 'limit.raised') this.#maxTurns += fact.turns;
    if (fact.type === 'run.resumed') this.#maxTurns = fact.limits.maxTurns;
    if (fact.type === 'model.failed') this.#failures += 1;
    else if ('message' in fact) this.#failures = 0;
    if (fact.type === 'approval.decided' && fact.edited !== null) this.#edit(fact.callId, fact.edited.input);
  }

  /** From now on the call is what runs. */
  #edit(callId: string, input: unknown): void {
    const call = this.#calls.get(callId);
    if (call !== undefined) this.#calls.set(callId, { ...call, input });
    this.#edited.add(callId);
  }

  /** What is said with --quiet, too. */
  #warningOf(fact: Fact): string | null {
    const { colors } = this.#options;
    if (fact.type === 'model.failed' && this.#isRetried(fact)) return colors.yellow(failureLine(fact));
    if (fact.type !== 'approval.decided' || fact.by !== 'nobody') return null;
    const call = this.#calls.get(fact.callId);
    return colors.yellow(this.#unasked(visibleLine(call?.name ?? fact.callId), call?.rule ?? null));
  }

  /** The last failure is told when the run has ended. */
  #isRetried = ({ delayMs }: FactOf<'model.failed'>): boolean =>
    delayMs !== null && this.#failures <= DEFAULT_LIMITS.maxRetries;

  /** Once with the ways on. */
  #unasked(tool: string, rule: DecidingRule): string {
    const why = this.#options.nobody === null ? '' : `: ${this.#options.nobody}`;
    const hint = this.#hasHinted ? '' : ` To let it run: ${this.#options.waysOn(tool, rule)}.`;
    this.#hasHinted = true;
    return `  ${tool} was denied, as nobody could be asked${why}.${hint}`;
  }

  #lineOf(fact: Fact): string | null {
    const { colors, isVerbose } = this.#options;
    switch (fact.type) {
      case 'model.called_tools':
        return colors.dim(
          `turn ${this.#turn}/${this.#maxTurns}, ${formatUsd(this.#nanoUsd)}: ${countOf(fact.calls.length, 'tool call')}${isVerbose ? `\n  request: ${requestLine(fact)}` : ''}`,
        );
      case 'model.truncated':
        return fact.canGrow
          ? colors.yellow(`cut off at ${fact.maxTokens} tokens; asking again with more`)
          : null;
      case 'tool.started':
        return isVerbose ? colors.dim(`  … ${this.#nameOf(fact.callId)}`) : null;
      case 'tool.finished':
        return this.#resultLine(fact);
      case 'approval.decided':
        return isVerbose || fact.decision === 'deny' || fact.edited !== null
          ? colors.dim(`  ${decisionLine(fact)}`)
          : null;
      case 'run.resumed':
        return colors.dim(`resumed after turn ${this.#turn}`);
      case 'user.interjected':
        return colors.dim('  noted; it joins the next request');
      case 'model.answered':
      case 'model.paused':
      case 'model.refused':
      case 'model.overflowed':
      case 'model.failed':
        return isVerbose ? colors.dim(`  request: ${requestLine(fact)}`) : null;
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
    const edited = this.#edited.has(fact.callId) ? ' (edited)' : '';
    const end = `${edited}${isGood ? '' : ` ${fact.outcome.kind}`}${this.#ruleNote(fact)}`;
    const room = screen.columns - 24 - edited.length;
    const head = `  ${mark} ${fitLine(this.#nameOf(fact.callId), Math.max(20, room))}${end}, ${seconds(fact.durationMs)}`;
    return isVerbose ? `${head}\n${indent(visible(fact.outcome.content))}` : head;
  }

  #ruleNote({ callId, outcome }: FactOf<'tool.finished'>): string {
    const call = this.#calls.get(callId);
    const rule = outcome.kind === 'denied' && call?.verdict === 'deny' ? ruleOf(call) : '';
    return rule === '' ? '' : fitLine(` by ${rule}`, MAX_RULE);
  }

  #nameOf(callId: string): string {
    const call = this.#calls.get(callId);
    return call === undefined ? visibleLine(callId) : callLine(call);
  }
}

const MAX_RULE = 80;

/** A response that counts: not a paused part of one, nor one that is asked again with more room. */
const isTurn = (fact: Fact): boolean =>
  'message' in fact && fact.type !== 'model.paused' && !(fact.type === 'model.truncated' && fact.canGrow);

const indent = (text: string): string => text.replaceAll(/^/gm, '    ');
