/** One run as its host sees it. */
import { EventLog, type RunEvent } from './events.ts';
import { Inbox } from './inbox.ts';
import { mirrorOf, type Inspect } from './inspect/mirror.ts';
import { isFact } from './journal/lines.ts';
import type { Fact, Journal, JournalHeader, Ports, RunResult } from './ports.ts';

/** Iterating it gives facts as they are recorded and text as it streams; not iterating it changes nothing. */
export interface AgentRun extends AsyncIterable<RunEvent> {
  readonly id: string;
  /** Rejects only when the journal cannot be written, or on a bug. */
  readonly result: Promise<RunResult>;
  /** Says something to the model; it joins the next request. */
  interject(text: string): void;
  /** Stops the run: it ends as `aborted`, with every call answered. */
  abort(by?: string): void;
  /** As a signal of the operating system: a run that waits for a person goes on waiting. */
  interrupt(by: string): void;
}

export type RunPorts = Omit<Ports, 'onDelta'>;

/** Brings a run to its end, through the loop. */
export type Go = (ports: Ports, inbox: Inbox) => Promise<RunResult>;

/** @param past what the run has recorded already */
export function openRun(
  past: { readonly header: JournalHeader; readonly facts: readonly Fact[] },
  ports: RunPorts,
  inspect: Inspect | undefined,
  go: Go,
): AgentRun {
  const inbox = new Inbox();
  const events = new EventLog();
  const mirror = inspect === undefined ? null : mirrorOf(past.header, inspect);
  for (const fact of past.facts) mirror?.take(fact);
  const journal: Journal = {
    append: async (line) => {
      await ports.journal.append(line);
      if (!isFact(line)) return;
      events.addFact(line);
      mirror?.take(line);
    },
  };
  const result = go({ ...ports, journal, onDelta: (delta) => events.addDelta(delta) }, inbox).finally(() =>
    events.end(),
  );
  // Whoever awaits `result` gets the error; a listener that only iterates must not bring the process down.
  result.catch(() => undefined);
  return {
    id: past.header.runId,
    result,
    interject: (text) => {
      if (text.trim() !== '') inbox.put({ kind: 'interjection', text: text.toWellFormed() });
    },
    abort: (by = 'host') => inbox.put({ kind: 'abort', cause: 'user', by }),
    interrupt: (by) => inbox.put({ kind: 'abort', cause: 'signal', by }),
    [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
  };
}
