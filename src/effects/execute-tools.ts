import pLimit from 'p-limit';
import type { Fact, Ports, ToolOutcome } from '../ports.ts';
import { openCallsOf, resultOf, type CallState, type Finished } from './calls.ts';
import { headAndTail } from '../text/cut.ts';
import { runSafely } from './broken-ports.ts';
import type { EffectEnd, PerformEffect } from './effect.ts';

const MAX_CONCURRENT = 8;

/**
 * Runs the calls of a turn. Neighbouring calls that only read run together, others one after the other; results come
 * in the order of the calls. A call begins only after its `tool.started` has been taken.
 */
export const executeTools: PerformEffect = async function* (
  run,
  ports,
  signal,
): AsyncGenerator<Fact, EffectEnd, void> {
  for (const group of groupsOf(openCallsOf(run))) {
    const started: CallState[] = [];
    for (const open of group) {
      if (signal.aborted) break;
      if (mayRun(open) && open.state.status === 'open') yield { type: 'tool.started', callId: open.call.id };
      started.push(open);
    }
    const limit = pLimit(MAX_CONCURRENT);
    const running = started.map((open) => limit(() => runCall(open, ports, signal)));
    // The first of them that fails fails the run; the others must not bring the process down.
    for (const call of running) call.catch(() => undefined);
    for (const finished of running) yield resultOf(await finished);
    if (signal.aborted) return undefined;
  }
  return undefined;
};

/** An approval counts only as long as the rules ask for one: those of a run that goes on may forbid the call. */
const mayRun = ({ state: { verdict, decision } }: CallState): boolean =>
  verdict === 'allow' || (verdict === 'ask' && decision === 'approve');

/** Splits the calls into runs of neighbours that may go together. */
function groupsOf(calls: readonly CallState[]): readonly (readonly CallState[])[] {
  const groups: CallState[][] = [];
  for (const open of calls) {
    const last = groups.at(-1);
    if (last && last.every(onlyReads) && onlyReads(open)) last.push(open);
    else groups.push([open]);
  }
  return groups;
}

const onlyReads = ({ call }: CallState): boolean => call.effects === 'none';

async function runCall(open: CallState, ports: Ports, signal: AbortSignal): Promise<Finished> {
  const startedAt = ports.clock.now();
  const outcome = await outcomeOf(open, ports, signal);
  return { callId: open.call.id, outcome, durationMs: Math.round(ports.clock.now() - startedAt) };
}

async function outcomeOf(
  open: CallState,
  { toolbox, texts }: Ports,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { call, state, decided } = open;
  // Started by a process that died: whether it had its effect is unknown. Reading again does no harm.
  if (state.status === 'started' && !(mayRun(open) && onlyReads(open))) {
    return { kind: 'interrupted', content: texts.interrupted(call.name) };
  }
  if (call.refusal !== null) {
    return { kind: call.verdict === 'deny' ? 'denied' : 'failed', content: call.refusal };
  }
  if (!mayRun(open)) {
    return {
      kind: 'denied',
      content: texts.denied(call.name, decided?.by ?? 'nobody', decided?.reason ?? null),
    };
  }
  const edited = decided?.edited ?? null;
  const asked = { ...call, ...(edited && { input: edited.input }) };
  const outcome = await runSafely(toolbox, asked, signal, texts);
  return edited === null
    ? outcome
    : { ...outcome, content: `${texts.edited(shownOf(edited.input))}\n${outcome.content}` };
}

/** An input in the characters that a result has for it. */
function shownOf(input: unknown): string {
  const { head, tail, dropped } = headAndTail(JSON.stringify(input), MAX_SHOWN);
  return dropped === 0 ? head : `${head} … ${dropped} characters left out … ${tail}`;
}

const MAX_SHOWN = 4_000;
