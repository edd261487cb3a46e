/**
 * Serves the inspection of a run to one's own browser: a page of ours that hands the messages to Stately's inspector, in
 * a frame. On 127.0.0.1, behind a token, for pages of its own only.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InspectionEvent } from 'xstate';
import { agentLoop } from '../../machines/index.ts';
import { messageOf, type InspectorMessage } from './messages.ts';
import { pageOf } from './page.ts';

export interface InspectServer {
  /** With the token: whoever has it sees the run. */
  readonly url: string;
  readonly inspect: (event: InspectionEvent) => void;
  close(): void;
}

/** Later viewers get what came before; of a very long run, the end. */
const MAX_KEPT = 5_000;

export async function serveInspection(): Promise<InspectServer> {
  const token = randomBytes(24).toString('base64url');
  const messages: InspectorMessage[] = [];
  const viewers = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const refusal = refusalOf(request, token, portOf(server.address()));
    if (refusal !== null) {
      response.writeHead(refusal).end();
    } else if (pathOf(request).endsWith('/events')) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
      response.flushHeaders();
      for (const message of messages) response.write(lineOf(message));
      viewers.add(response);
      response.once('close', () => viewers.delete(response));
      response.on('error', () => undefined);
    } else {
      const nonce = randomBytes(12).toString('base64url');
      response.writeHead(200, headersOf(nonce)).end(pageOf(nonce));
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // Nobody who only looks keeps a run from ending.
  server.unref();
  server.on('connection', (socket) => socket.unref());
  const definition = JSON.stringify(agentLoop.config);
  return {
    url: `http://127.0.0.1:${portOf(server.address())}/${token}/`,
    inspect: (event) => {
      const message = messageOf(event, definition, Date.now().toString());
      if (message === null) return;
      messages.push(message);
      if (messages.length > MAX_KEPT) messages.splice(1, 1);
      for (const viewer of viewers) viewer.write(lineOf(message));
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

// A server that listens on a port has an address that is no string.
const portOf = (address: AddressInfo | string | null): number => (address as AddressInfo).port;

const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?')[0] ?? '/';

const lineOf = (message: InspectorMessage): string => `data: ${JSON.stringify(message)}\n\n`;

/** The status to refuse with; null: it is the page of the person who has the address. */
function refusalOf(
  { method, headers, ...request }: IncomingMessage,
  token: string,
  port: number,
): number | null {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  // Another name that resolves to this machine is the way in of a page that rebinds its own.
  if (!hosts.includes(headers.host ?? '')) return 403;
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) return 403;
  if (method !== 'GET') return 405;
  const [, given = '', rest = ''] = (request.url ?? '/').split('?')[0]?.split('/') ?? [];
  if (!isSame(given, token)) return 404;
  return rest === '' || rest === 'events' ? null : 404;
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const headersOf = (nonce: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // The frame must not learn the address, which holds the token.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; frame-src https://stately.ai; frame-ancestors 'none'; base-uri 'none'`,
});
