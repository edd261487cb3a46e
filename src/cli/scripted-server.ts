/** Our own server in this process, playing a script: whoever talks to it cannot tell it from another one. */
import type { Script } from '../model/parse-script.ts';
import { createScript } from '../model/script.ts';
import type { ModelRequest } from '../ports.ts';
import { fails, type Reply } from '../testing/reply.ts';
import { startStrictServer } from '../testing/server.ts';

export interface PlayedScript {
  readonly url: string;
  /** What was wrong with the script, if it could not go on. */
  readonly fault: () => string | null;
  readonly close: () => Promise<void>;
}

export async function playScript(script: Script): Promise<PlayedScript> {
  const play = createScript(script);
  let fault: string | null = null;
  const server = await startStrictServer({
    respond: ({ body }): Reply => {
      // The server has checked that it is one.
      const reply = play(body as unknown as ModelRequest);
      if (reply.kind === 'unplayable') {
        fault = reply.message;
        return fails(400, 'invalid_request_error', reply.message);
      }
      if (reply.kind === 'failed') return fails(reply.status, reply.errorType, reply.message);
      const { content, stopReason, usage } = reply;
      return { kind: 'message', content, stopReason, ...(usage && { usage: { ...usage } }) };
    },
  });
  return { url: server.url, fault: () => fault, close: () => server.close() };
}
