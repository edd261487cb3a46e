import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgent } from '../src/index.ts';
import { serveInspection, type InspectServer } from '../src/inspect/server.ts';
import { scripted } from '../src/model/scripted.ts';

let server: InspectServer;

beforeEach(async () => {
  server = await serveInspection();
});

afterEach(() => {
  server.close();
});

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = ({
  path = '',
  method = 'GET',
  headers = {},
}: Asked): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const url = new URL(server.url);
    const asked = request(
      {
        host: url.hostname,
        port: url.port,
        path: path.startsWith('/') ? path : `${url.pathname}${path}`,
        method,
        headers,
      },
      (response) => {
        let text = '';
        const done = (): void => resolve({ status: response.statusCode ?? 0, text });
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          // A stream of events has no end of its own.
          if (text.includes('"status":"done"')) done();
        });
        response.once('end', done).once('error', done);
      },
    );
    asked.once('error', reject).end();
  });

describe('the inspection server', () => {
  it('listens on this machine only, at an address that nobody can guess', () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
  });

  it.each<[string, Asked, number]>([
    ['the page', {}, 200],
    ['the page without the token', { path: '/' }, 404],
    ['the page with another token', { path: `/${'x'.repeat(32)}/` }, 404],
    ['the events without the token', { path: '/events' }, 404],
    ['a path behind the token', { path: 'etc' }, 404],
    ['another host name', { headers: { host: 'evil.example' } }, 403],
    ['a page of another origin', { path: 'events', headers: { origin: 'https://evil.example' } }, 403],
    ['a page of Stately', { path: 'events', headers: { origin: 'https://stately.ai' } }, 403],
    ['a request that is no GET', { method: 'POST' }, 405],
  ])('answers %s', async (_, asked, status) => {
    expect((await ask(asked)).status).toBe(status);
  });

  it('shows a run fact by fact, also to a viewer who comes late, and none of its texts', async () => {
    const agent = createAgent({ model: scripted([{ say: 'the-answer' }]), inspect: server.inspect });
    const { reason } = await stoppedOf(agent.start('the-task').result);
    expect(reason).toBe('end_turn');
    const { text } = await ask({ path: 'events' });
    const messages = text
      .split('\n\n')
      .filter((row) => row.startsWith('data: '))
      .map((row) => JSON.parse(row.slice(6)) as { readonly type: string; readonly definition?: string });
    expect(messages.map(({ type }) => type)).toContain('@xstate.actor');
    expect(JSON.parse(messages[0]?.definition ?? '{}')).toMatchObject({ id: 'agentLoop' });
    expect(text).toContain('callingModel');
    expect(text).not.toContain('the-answer');
    expect(text).not.toContain('the-task');
  });
});

async function stoppedOf<T extends { readonly state: string }>(result: Promise<T>) {
  const ended = await result;
  if (ended.state !== 'stopped') throw new Error('The run waits.');
  return ended as Extract<T, { readonly state: 'stopped' }>;
}
