/** Our own server in this process, playing a script: whoever talks to it cannot tell it from another one. */
import type { Script } from '../model/parse-script.ts';
import { createScript } from '../model/script.ts';
import type { ModelRequest } from '../ports.ts';
import { fails, type Reply } from '../testing/reply.ts';
import { startStrictServer } from '../testing/server.ts';

export async function playScript(
  script: Script,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const play = createScript(script);
  const server = await startStrictServer({
    respond: ({ body }): Reply => {
      // The server has checked that it is one.
      const reply = play(body as unknown as ModelRequest);
      if (reply.kind === 'failed') return fails(reply.status, reply.errorType, reply.message);
      const { content, stopReason, usage } = reply;
      return { kind: 'message', content, stopReason, ...(usage && { usage: { ...usage } }) };
    },
  });
  return { url: server.url, close: () => server.close() };
}
