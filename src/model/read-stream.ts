/** The body of a response, read as server-sent events and folded into assemblies. */
import { Stream, type ServerSentEvent } from '@anthropic-ai/sdk/core/streaming';
import type { Delta } from '../ports.ts';
import { addEvent, blockAt, emptyAssembly, withFault, type Assembly } from './assemble.ts';
import { observedDelta } from './growing-block.ts';
import { isObject, parseJson, type JsonObject } from './json.ts';

/**
 * Yields the assembly each time that it grows, until it is complete or at fault, or the body ends.
 * @throws what the connection throws
 */
export async function* readAssemblies(
  response: Response,
  tell: (delta: Delta) => void,
): AsyncGenerator<Assembly, void, void> {
  let assembly = emptyAssembly;
  for await (const frame of Stream.rawEvents(withLastEvent(response))) {
    const event = eventOf(frame);
    const next =
      event === undefined
        ? withFault(assembly, 'The stream sent an event that is no JSON.')
        : addEvent(assembly, event);
    if (next === assembly) continue;
    assembly = next;
    if (event !== undefined) tellOf(event, assembly, tell);
    yield assembly;
    if (assembly.isComplete || assembly.fault !== null) return;
  }
}

/** A missing content type is let pass: the events themselves will tell. */
export const isEventStream = ({ headers }: Response): boolean =>
  (headers.get('content-type') ?? 'text/event-stream').includes('text/event-stream');

/** The first 64 KiB of a body, as text. */
export async function readStart({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= 65_536) break;
  }
  return Buffer.concat(chunks).toString();
}

/**
 * A reader of events drops the last one when no blank line follows it. A body that ends cleanly there has said all that
 * it had to say, and was paid for: a blank line is added. Where the event was cut, it is no JSON and fails all the same.
 */
function withLastEvent(response: Response): Response {
  const end = new TransformStream<Uint8Array, Uint8Array>({
    flush: (controller) => controller.enqueue(new TextEncoder().encode('\n\n')),
  });
  return new Response(response.body?.pipeThrough(end) ?? null);
}

/** The event of a frame; undefined where it is no JSON object. Pings and frames without data need be none. */
function eventOf({ event, data }: ServerSentEvent): JsonObject | undefined {
  if (event === 'ping' || data === '') return { type: 'ping' };
  const value = parseJson(data);
  if (event === 'error') return isObject(value) ? value : { type: 'error', error: { message: data } };
  return isObject(value) ? { type: event, ...value } : undefined;
}

function tellOf(event: JsonObject, assembly: Assembly, tell: (delta: Delta) => void): void {
  if (event['type'] !== 'content_block_delta' || !isObject(event['delta'])) return;
  const block = blockAt(assembly, event['index']);
  const delta = block && observedDelta(block, event['delta']);
  if (delta) tell(delta);
}
