/** Streams of the real API, as others recorded them, through `anthropic()` and through a second, independent assembly. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { anthropic } from '../../src/model/anthropic.ts';
import { request, serve, streamHeaders, type Answer } from './serve.ts';

const folder =
  process.env['TURNSTILE_RECORDINGS'] ?? path.resolve(import.meta.dirname, '../../../shared/recordings');
const isHere = existsSync(path.join(folder, 'INDEX.tsv'));
const streams = isHere
  ? readIndex().filter(({ kind }) => kind === 'stream')
  : [{ file: 'no recordings', stopReason: '', blockTypes: '' }];

const title = isHere
  ? `${streams.length} recorded streams, served at random chunk sizes, give what an independent assembly of their events gives`
  : `recorded streams are skipped: no INDEX.tsv in the folder that TURNSTILE_RECORDINGS names, nor in ../shared/recordings`;

/** Two streams were broken by hand: a second message begins inside the first. */
const broken = new Map([
  ['vercel-ai/handmade-duplicate-message-start.sse', 'second message'],
  ['vercel-ai/handmade-spliced-message-start.sse', 'second message'],
]);

describe.skipIf(!isHere)(title, () => {
  it.each(streams)('$file', async ({ file, stopReason, blockTypes }) => {
    const bytes = readFileSync(path.join(folder, file));
    const { url } = await serve(inChunks(bytes, file));
    const model = anthropic('claude-haiku-5-5', { apiKey: 'sk-test-key', baseURL: url });
    const reply = await model.send(request, {
      signal: new AbortController().signal,
      onDelta: () => undefined,
    });
    const events = eventsIn(bytes.toString());

    const fault = broken.get(file);
    if (fault !== undefined || stopReason.startsWith('error:')) {
      expect(reply).toMatchObject({ kind: 'failed', isRetryable: true, failure: { status: null } });
      if (reply.kind !== 'failed') return;
      expect(reply.failure.message).toContain(fault ?? stopReason.replace('error:', ''));
      return;
    }

    const expected = assembleIndependently(events);
    expect(reply).toEqual({ kind: 'message', requestId: 'req_1', ...expected });
    expect(expected.message.stopReason).toBe(stopReason);
    expect(summaryOf(expected.message.content)).toBe(blockTypes);
  });
});

function readIndex() {
  const [, ...lines] = readFileSync(path.join(folder, 'INDEX.tsv'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [file = '', kind = '', , stopReason = '', blockTypes = ''] = line.split('\t');
    return { file, kind, stopReason, blockTypes };
  });
}

/** `type` or `type*count`, in order of first appearance: the notation of INDEX.tsv. */
function summaryOf(content: readonly Fields[]): string {
  const counts = new Map<string, number>();
  for (const { type } of content) counts.set(String(type), (counts.get(String(type)) ?? 0) + 1);
  return [...counts].map(([type, count]) => (count === 1 ? type : `${type}*${count}`)).join(',');
}

/** Sends the bytes in pieces of 1 to 4,096, the same ones each time; small ones cut characters and line ends. */
const inChunks =
  (bytes: Buffer, seed: string): Answer =>
  async (response) => {
    response.writeHead(200, streamHeaders);
    let state = Buffer.from(seed).reduce((sum, byte) => (sum * 31 + byte) % 2_147_483_647, 7);
    for (let at = 0; at < bytes.length;) {
      state = (state * 48_271) % 2_147_483_647;
      const size = 1 + (state % (state % 3 === 0 ? 7 : 4_096));
      response.write(bytes.subarray(at, at + size));
      at += size;
      // Otherwise node joins the pieces.
      await new Promise(setImmediate);
    }
    response.end();
  };

// ---- The second assembly: a different way to the same message -------------------------------------------------------

// Mutable bags, on purpose unlike the fold under test.
type Fields = Record<string, unknown>;

function eventsIn(stream: string): Fields[] {
  return stream
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => fieldsOf(JSON.parse(line.slice('data:'.length))));
}

function assembleIndependently(events: readonly Fields[]) {
  const of = (type: string) => events.filter((event) => event['type'] === type);
  const begun = fieldsOf(of('message_start')[0]?.['message']);
  const ends = of('message_delta').map((event) => fieldsOf(event['delta']));
  const last = (field: string) =>
    [begun, ...ends].map((from) => from[field]).findLast((value) => value !== null && value !== undefined) ??
    null;
  const content = of('content_block_start').map(({ index, content_block: block }) => {
    const deltas = of('content_block_delta').filter((event) => event['index'] === index);
    return wholeBlock(
      fieldsOf(block),
      deltas.map(({ delta }) => fieldsOf(delta)),
    );
  });
  const malformed = content.filter(({ raw }) => raw !== undefined);
  const ready = Array.isArray(begun['content']) ? begun['content'].map(fieldsOf) : [];
  return {
    message: {
      id: begun['id'],
      model: begun['model'],
      content: [...ready, ...content.map(({ block }) => block)],
      stopReason: last('stop_reason'),
      stopSequence: last('stop_sequence'),
      stopDetails: last('stop_details'),
    },
    usage: usageIn([begun['usage'], ...of('message_delta').map(({ usage }) => usage)].map(fieldsOf)),
    malformedInputs: Object.fromEntries(malformed.map(({ block, raw }) => [block['id'], raw])),
  };
}

function wholeBlock(begun: Fields, deltas: readonly Fields[]): { block: Fields; raw?: string } {
  const block = { ...begun };
  const joined = (field: string) =>
    deltas.map((delta) => (typeof delta[field] === 'string' ? delta[field] : '')).join('');
  const has = (type: string) => deltas.some((delta) => delta['type'] === type);
  if (has('text_delta')) block['text'] = `${String(begun['text'])}${joined('text')}`;
  if (has('thinking_delta')) block['thinking'] = `${String(begun['thinking'])}${joined('thinking')}`;
  if (has('signature_delta')) block['signature'] = joined('signature');
  if (has('compaction_delta')) block['content'] = joined('content');
  const citations = deltas.filter((delta) => delta['type'] === 'citations_delta');
  const before = Array.isArray(begun['citations']) ? begun['citations'] : [];
  if (citations.length > 0) block['citations'] = [...before, ...citations.map(({ citation }) => citation)];
  const raw = joined('partial_json');
  if (raw === '') return { block };
  try {
    block['input'] = JSON.parse(raw);
    return { block };
  } catch {
    return { block: { ...block, input: { INVALID_JSON: raw } }, raw };
  }
}

function usageIn(reports: readonly Fields[]): Fields {
  const fields = new Set(reports.flatMap(Object.keys));
  return Object.fromEntries(
    [...fields].map((field) => {
      const values = reports.map((report) => report[field]).filter((value) => value !== undefined);
      return [field, values.findLast((value) => value !== null) ?? null];
    }),
  );
}

const fieldsOf = (value: unknown): Fields => ({ ...(typeof value === 'object' && value) });
