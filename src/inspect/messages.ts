/** Inspection events as messages of Stately's inspector, the fields that its page reads (protocol of @statelyai/inspect 0.7). */
import type { AnyActorRef, InspectionEvent } from 'xstate';

export type InspectorMessage = Readonly<Record<string, unknown>> & { readonly type: string };

/** Version of the protocol. */
const VERSION = '0.7.2';

/**
 * @param definition the chart's configuration as JSON, which the page draws
 * @returns null for events that the page does not know
 */
export function messageOf(event: InspectionEvent, definition: string, now: string): InspectorMessage | null {
  const head = {
    _version: VERSION,
    createdAt: now,
    id: null,
    rootId: event.rootId,
    sessionId: sessionOf(event.actorRef),
  };
  switch (event.type) {
    case '@xstate.actor':
      // It has no state yet: that follows.
      return { ...head, type: event.type, name: 'agentLoop', definition, snapshot: { status: 'active' } };
    case '@xstate.event':
      return { ...head, type: event.type, event: plain(event.event) };
    case '@xstate.snapshot':
      return { ...head, type: event.type, event: plain(event.event), snapshot: plain(event.snapshot) };
    case '@xstate.action':
    case '@xstate.microstep':
    case '@xstate.transition':
      return null;
    default:
      return event satisfies never;
  }
}

// xstate types the reference of an inspected actor loosely.
const sessionOf = (actor: unknown): string => (actor as Pick<AnyActorRef, 'sessionId'>).sessionId;

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');
