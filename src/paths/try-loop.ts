/** Tries another loop with the paths of the kit, over HTTP: what does it do otherwise? */
import { isDeepStrictEqual } from 'node:util';
import { says } from '../testing/reply.ts';
import { startStrictServer } from '../testing/server.ts';
import { kitRequestOf, type KitPath } from './kit.ts';

/** What the loop gets to work with. */
export interface KitWorld {
  /** Base URL of a server that speaks the Messages API, and is as strict as the real one. */
  readonly baseURL: string;
  readonly task: string;
  readonly maxTurns: number;
  /** All limits, `maxTurns` among them. */
  readonly limits: KitPath['limits'];
  readonly onLimit: KitPath['onLimit'];
  /** Definitions for the request. */
  readonly tools: KitPath['tools'];
  /** Runs a call. @throws {Error} when the path lets it fail */
  readonly runTool: (call: {
    readonly id: string;
    readonly name: string;
    readonly input: unknown;
  }) => Promise<string>;
}

export interface Hole {
  readonly path: string;
  /** One sentence for each thing that the loop did otherwise. */
  readonly faults: readonly string[];
}

/**
 * @param loop gives its answer; what it throws counts as no answer
 * @param can what the loop can do; paths that need more are left out
 */
export async function tryLoop(
  paths: readonly KitPath[],
  loop: (world: KitWorld) => Promise<string>,
  can: readonly KitPath['needs'][number][] = [],
): Promise<readonly Hole[]> {
  const holes: Hole[] = [];
  for (const path of paths.filter(({ needs }) => needs.every((need) => can.includes(need)))) {
    const faults = await faultsOf(path, loop);
    if (faults.length > 0) holes.push({ path: path.name, faults });
  }
  return holes;
}

async function faultsOf(
  path: KitPath,
  loop: (world: KitWorld) => Promise<string>,
): Promise<readonly string[]> {
  const ran: string[] = [];
  const server = await startStrictServer({
    respond: ({ index }) => path.responses[index] ?? says('(The path has ended.)'),
  });
  try {
    const answer = await loop({
      baseURL: server.url,
      task: path.task,
      maxTurns: path.limits.maxTurns,
      limits: path.limits,
      onLimit: path.onLimit,
      tools: path.tools,
      runTool: async ({ id }) => {
        ran.push(id);
        const end = path.facts.find((fact) => fact['type'] === 'tool.finished' && fact['callId'] === id);
        const given = end?.['content'];
        const content = typeof given === 'string' ? given : 'ok';
        if (end?.['outcome'] === 'failed') throw new Error(content);
        return content;
      },
    }).catch(() => '');
    const accepted = server.requests.filter(({ refusal }) => refusal === null);
    return [
      ...server.requests.flatMap(({ refusal }) =>
        refusal === null ? [] : [`The API refused a request: ${refusal.message}`],
      ),
      ...requestFaults(
        path,
        accepted.map(({ body }) => kitRequestOf(body)),
      ),
      ...ran
        .filter((id) => !path.expected.ran.includes(id))
        .map((id) => `The call ${id} ran, and the model never saw its result, or it must not run.`),
      ...path.expected.ran.filter((id) => !ran.includes(id)).map((id) => `The call ${id} did not run.`),
      ...(path.expected.hasAnswer && answer.trim() === '' ? ['The answer is empty.'] : []),
    ];
  } finally {
    await server.close();
  }
}

type Requests = KitPath['expected']['requests'];

function requestFaults({ expected }: KitPath, real: Requests): readonly string[] {
  const count = expected.requests.length;
  const counts = real.length === count ? [] : [`There were ${real.length} requests where ${count} were due.`];
  const differing = expected.requests.findIndex((request, index) => {
    const other = real[index];
    return other !== undefined && !isDeepStrictEqual(shapeOf(request), shapeOf(other));
  });
  return differing === -1 ? counts : [...counts, `Request ${differing + 1} is another one.`];
}

/** Words of the user beside results are the loop's own business; everything else is not. */
const shapeOf = ({ mayCallTools, messages }: Requests[number]) => ({
  mayCallTools,
  messages: messages.map(({ role, blocks }) => ({
    role,
    blocks: role === 'user' ? blocks.filter((block) => block.startsWith('tool_result')) : blocks,
  })),
});
