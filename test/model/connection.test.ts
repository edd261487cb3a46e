import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { anthropic } from '../../src/model/anthropic.ts';
import { ask, failedOf } from './ask.ts';
import { request, serve } from './serve.ts';

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('without a connection', () => {
  it('a refused connection names the host and can be retried', async () => {
    const port = await closedPort();
    const model = anthropic('m', { apiKey: 'a', baseURL: `http://127.0.0.1:${port}` });
    const reply = failedOf(
      await model.send(request, { signal: new AbortController().signal, onDelta: vi.fn() }),
    );
    expect(reply).toMatchObject({
      isRetryable: true,
      billing: 'none',
      usage: null,
      failure: { status: null },
    });
    expect(reply.failure.message).toBe(
      `Could not reach 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}, nothing listens there.`,
    );
  });

  it('a reset before the headers can be retried', async () => {
    const { reply } = await ask((response) => void response.socket?.resetAndDestroy());
    expect(failedOf(reply)).toMatchObject({ isRetryable: true, billing: 'none' });
    expect(failedOf(reply).failure.message).toContain('Could not reach 127.0.0.1:');
  });

  it('TLS that is none names the host', async () => {
    const { url } = await serve(() => undefined);
    const model = anthropic('m', { apiKey: 'a', baseURL: url.replace('http:', 'https:') });
    const reply = failedOf(
      await model.send(request, { signal: new AbortController().signal, onDelta: vi.fn() }),
    );
    expect(reply.isRetryable).toBe(true);
    expect(reply.failure.message).toContain(`Could not reach ${new URL(url).host}: `);
  });
});

describe('without a key', () => {
  it('nothing is sent, and the failure says what to set', async () => {
    const { url, received } = await serve(() => undefined);
    for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_PROFILE'])
      vi.stubEnv(name, '');
    // Where the SDK would look for a profile.
    for (const name of ['HOME', 'USERPROFILE', 'XDG_CONFIG_HOME', 'APPDATA'])
      vi.stubEnv(name, '/nonexistent');
    onTestFinished(() => void vi.unstubAllEnvs());
    const model = anthropic('m', { baseURL: url });
    const reply = failedOf(
      await model.send(request, { signal: new AbortController().signal, onDelta: vi.fn() }),
    );
    expect(reply).toMatchObject({ isRetryable: false, billing: 'none' });
    expect(reply.failure.message).toContain('Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.');
    expect(received).toEqual([]);
  });
});
