/**
 * The only loop. It performs the effect of the state that the machine rests in, records each fact that comes of it,
 * and lets the machine take it. It decides nothing.
 */
import type { Effect, LoopContext } from '../machines/index.ts';
import { Deadline } from './deadline.ts';
import { NO_BILL, type Bill, type EffectEnd, type RunView } from './effects/effect.ts';
import { effectOf } from './effects/effect-of.ts';
import { effects } from './effects/index.ts';
import { EffectUnderWay } from './effects/under-way.ts';
import { Inbox, type InboxItem } from './inbox.ts';
import { outcomeOf } from './journal/outcome.ts';
import type { Fact, FactOf, JournalHeader, Ports, RunResult } from './ports.ts';
import { RunState } from './run-state.ts';

/** How long an aborted effect may take to say how it ended. */
const DRAIN_MS = 2_000;

/**
 * Runs a task until it stops, or waits for a person.
 * @throws what the journal throws: the run ends before its next effect, and nothing is half applied
 */
export async function runLoop(header: JournalHeader, ports: Ports, inbox?: Inbox): Promise<RunResult> {
  const run = new Run(new RunState(header), ports);
  await ports.journal.append(header);
  return goOn(run, ports, inbox);
}

/**
 * Goes on with a run from wherever its facts have led: a new segment of the same journal.
 * @param fact what holds from here on, as `resumptionOf` makes it
 * @throws as `runLoop`
 */
export async function resumeLoop(
  state: RunState,
  fact: FactOf<'run.resumed'>,
  ports: Ports,
  inbox?: Inbox,
): Promise<RunResult> {
  const run = new Run(state, ports);
  await run.record(fact);
  return goOn(run, ports, inbox);
}

/**
 * Records what people have decided of calls that wait, in a segment of its own. Nothing runs.
 * @param fact that the segment begins with
 * @throws as `runLoop`
 */
export async function recordDecisions(
  state: RunState,
  fact: FactOf<'run.resumed'>,
  decisions: readonly FactOf<'approval.decided'>[],
  ports: RecordPorts,
): Promise<RunResult> {
  const run = new Run(state, ports);
  await run.record(fact);
  for (const decision of decisions) await run.record(decision);
  return run.end([]);
}

/** Writes the last line of a run that has stopped, where its process died before. */
export const recordEnd = (state: RunState, ports: RecordPorts): Promise<RunResult> =>
  new Run(state, ports).end([]);

type RecordPorts = Pick<Ports, 'journal' | 'clock'>;

async function goOn(run: Run, ports: Ports, inbox = new Inbox()): Promise<RunResult> {
  const deadline = new Deadline(ports.clock, inbox, run.header.timeoutMs);
  while (run.snapshot.status === 'active') {
    if ((await perform(run, ports, inbox, deadline)) === 'waiting') break;
  }
  // What was said too late for any fact to take it up is not lost: a run that waits hears it when it goes on.
  const late = inbox.interjections();
  if (run.snapshot.status === 'active') for (const text of late) await run.record(interjectionOf(text));
  return run.end(late);
}

/** Performs one effect to its end, unless the inbox says otherwise. */
async function perform(
  run: Run,
  ports: Ports,
  inbox: Inbox,
  deadline: Deadline,
): Promise<'left' | 'waiting'> {
  const name = effectOf(run.snapshot);
  const effect = new EffectUnderWay(effects[name], run.view(), ports);
  const stopClock = asksPerson(name) ? () => undefined : deadline.start();
  const isForNow = (item: InboxItem): boolean => isFor(item, name);
  try {
    for (;;) {
      // What has arrived already comes first: an effect that is to stop at once does not begin.
      const arrived = inbox.peek(isForNow) ?? (await Promise.race([effect.next(), inbox.first(isForNow)]));
      if ('kind' in arrived) {
        inbox.remove(arrived);
        if (arrived.kind === 'abort') return await stop(run, arrived, name, effect, inbox, ports);
        await run.record(interjectionOf(arrived.text));
      } else if (arrived.done === true) {
        return endOf(arrived.value, name);
      } else {
        effect.take();
        if (await run.record(arrived.value)) return 'left';
      }
    }
  } catch (error) {
    // The journal cannot be written: nothing of this effect may go on, or be paid for.
    effect.abort();
    throw error;
  } finally {
    stopClock();
  }
}

const asksPerson = (effect: Effect): boolean => effect === 'askApproval' || effect === 'askToContinue';

/** Calls that are being closed are closed to the end; the deadline does not pass while a person is asked. */
const isFor = (item: InboxItem, effect: Effect): boolean =>
  item.kind === 'interjection' ||
  (effect !== 'closeCalls' && !(item.cause === 'deadline' && asksPerson(effect)));

/** An effect that ended without having led on would be performed again, for ever. */
function endOf(end: EffectEnd, effect: Effect): 'waiting' {
  if (end?.end === 'waiting') return 'waiting';
  throw new Error(`The effect ${effect} ended, but no fact of it led out of its state. This is a bug.`);
}

/** Signals the effect, takes what it still has to say, and records the abort, if the run has not ended by itself. */
async function stop(
  run: Run,
  { cause, by }: Extract<InboxItem, { kind: 'abort' }>,
  name: Effect,
  effect: EffectUnderWay,
  inbox: Inbox,
  ports: Ports,
): Promise<'left' | 'waiting'> {
  effect.abort();
  const aborted = (bill: Bill): Fact => ({ type: 'run.aborted', cause, by, ...bill });
  if (name === 'executeTools') {
    // The abort first: the results that still come are the end of these calls, not the way to another request.
    await run.record(aborted(NO_BILL));
    await drain(run, effect, ports);
    return 'left';
  }
  const bill = await drain(run, effect, ports);
  // A closed terminal is no answer: the calls still wait for one.
  if (name === 'askApproval' && cause === 'signal' && run.isIn(name)) return 'waiting';
  if (run.can(aborted(bill))) await run.record(aborted(bill));
  else inbox.put({ kind: 'abort', cause, by });
  return 'left';
}

/** What the effect says within its time; a response that is paid for is recorded even now. */
async function drain(run: Run, effect: EffectUnderWay, { clock }: Ports): Promise<Bill> {
  if (!effect.hasBegun) return NO_BILL;
  const enough = new AbortController();
  const tooLate = clock.sleep(DRAIN_MS, enough.signal);
  try {
    for (;;) {
      const arrived = await Promise.race([effect.next(), tooLate]);
      if (arrived === undefined) return NO_BILL;
      if (arrived.done === true) return arrived.value?.end === 'aborted' ? arrived.value.bill : NO_BILL;
      effect.take();
      if (!run.can(arrived.value)) return NO_BILL;
      await run.record(arrived.value);
    }
  } finally {
    enough.abort();
  }
}

const interjectionOf = (text: string): Fact => ({
  type: 'user.interjected',
  text,
  promptCost: { next: NO_BILL.cost, summary: NO_BILL.cost },
});

/** The state of a run, and the journal that has every fact before it. */
class Run {
  readonly #state: RunState;
  readonly #ports: RecordPorts;

  constructor(state: RunState, ports: RecordPorts) {
    this.#state = state;
    this.#ports = ports;
  }

  get header(): JournalHeader {
    return this.#state.header;
  }

  get snapshot(): RunState['snapshot'] {
    return this.#state.snapshot;
  }

  can(fact: Fact): boolean {
    return this.#state.can(fact);
  }

  view(): RunView {
    const { header, facts, snapshot } = this.#state;
    return { header, facts, context: snapshot.context, since: facts.length };
  }

  /** @returns whether the fact led out of the state, be it back into the same one */
  async record(said: Fact): Promise<boolean> {
    const fact = this.#state.priced(said);
    if (!this.can(fact)) {
      throw new Error(`${JSON.stringify(this.snapshot.value)} cannot take ${fact.type}. This is a bug.`);
    }
    // Before the transition: a crash here must not lose a response that was paid for.
    await this.#ports.journal.append({ ...fact, at: this.#ports.clock.date() });
    return this.#state.take(fact);
  }

  isIn(effect: Effect): boolean {
    return this.snapshot.status === 'active' && effectOf(this.snapshot) === effect;
  }

  /**
   * Records how the segment ends.
   * @param late words of the user that are no facts any more
   */
  async end(late: readonly string[]): Promise<RunResult> {
    const result = this.#result(late);
    const { journal, clock } = this.#ports;
    await journal.append({ type: 'run.ended', at: clock.date(), result });
    return result;
  }

  #result(late: readonly string[]): RunResult {
    const { header, facts } = this.#state;
    const { runId } = header;
    const { output, context } = this.snapshot;
    if (output === undefined) return { state: 'waiting', runId, callIds: waitingCalls(context) };
    const outcome = outcomeOf(header, facts, output);
    return { state: 'stopped', runId, ...outcome, unread: [...outcome.unread, ...late] };
  }
}

const waitingCalls = ({ calls }: LoopContext): readonly string[] =>
  calls.filter((call) => call.verdict === 'ask' && call.decision === null).map(({ id }) => id);
