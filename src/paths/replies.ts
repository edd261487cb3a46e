/** What the model's server answers, so that the client makes a given fact of it. The seed picks one of the ways. */
import type { CallHead, LoopEvent, ModelFact } from '../../machines/index.ts';
import {
  fails,
  rawToolUse,
  says,
  text,
  thinking,
  toolUse,
  type Block,
  type Reply,
} from '../testing/reply.ts';
import type { Spelling } from './own-tools.ts';

type Usage = Readonly<Record<string, number>>;

export const isModelFact = (fact: LoopEvent | undefined): fact is ModelFact =>
  fact !== undefined && fact.type.startsWith('model.');

/**
 * @param search id of a search that was paused: what goes on begins with its result
 * @param spell how the model spells a call
 */
export function replyFor(
  fact: ModelFact,
  usage: Usage,
  seed: number,
  search: string | null,
  spell: Spelling,
): Reply {
  const reply = plainReplyFor(fact, usage, seed, spell);
  if (search === null || reply.kind !== 'message') return reply;
  const found: Block = { type: 'web_search_tool_result', tool_use_id: search, content: [] };
  return { ...reply, content: [found, ...reply.content] };
}

/** The search that a reply pauses for. */
export const searchIn = (reply: Reply): string | null =>
  reply.kind === 'message'
    ? (reply.content.flatMap(({ type, id }) => (type === 'server_tool_use' ? [String(id)] : []))[0] ?? null)
    : null;

function plainReplyFor(fact: ModelFact, usage: Usage, seed: number, spell: Spelling): Reply {
  const blockOf = blockBy(spell);
  switch (fact.type) {
    case 'model.answered':
      return { ...says(...words(fact), ...fact.calls.map(blockOf)), stopReason: 'end_turn', usage };
    case 'model.called_tools':
      return { ...says(...words(fact), ...fact.calls.map(blockOf)), usage };
    case 'model.paused':
      return { ...says('Searching.', searchOf(seed)), stopReason: 'pause_turn', usage };
    case 'model.truncated':
      return { ...says('The first half', ...fact.calls.map(blockOf)), stopReason: 'max_tokens', usage };
    case 'model.refused':
      return { ...says('I can'), stopReason: 'refusal', usage };
    case 'model.overflowed':
      return { ...says('So far'), stopReason: 'model_context_window_exceeded', usage };
    case 'model.failed':
      return failureFor(fact, usage, seed);
    default:
      return fact satisfies never;
  }
}

let searches = 0;

/** Ids are unique in a conversation. */
function searchOf(seed: number): Block {
  searches += 1;
  return {
    type: 'server_tool_use',
    id: `srvtoolu_${seed}_${searches}`,
    name: 'web_search',
    input: { query: 'average' },
  };
}

const words = ({ calls }: { readonly calls: readonly CallHead[] }): readonly Block[] =>
  calls.length === 0 ? [text('Done.')] : [thinking('Which tool?'), text('Let me see.')];

const blockBy =
  (spell: Spelling) =>
  (call: CallHead): Block => {
    const { name, input } = spell(call);
    return typeof input === 'string'
      ? rawToolUse(name, [input], { id: call.id })
      : toolUse(name, input, call.id);
  };

type Failed = Extract<ModelFact, { type: 'model.failed' }>;

function failureFor({ reason, isRetryable, cost }: Failed, usage: Usage, seed: number): Reply {
  const ways = cost.tokens > 1 ? BROKEN : isRetryable ? [...PASSING, ...BROKEN] : LASTING[reason];
  const way = ways[seed % ways.length];
  if (way === undefined) throw new Error('There is a way for every failure.');
  return way(usage);
}

type Way = (usage: Usage) => Reply;

const half = (usage: Usage) => ({ ...says('The first half of'), usage });

/** The request is refused for now; nothing is billed. */
const PASSING: readonly Way[] = [
  () => fails(529, 'overloaded_error', 'Overloaded'),
  () => fails(500, 'api_error', 'Internal server error'),
  () => fails(429, 'rate_limit_error', 'Too many requests', { headers: { 'retry-after': '1' } }),
  () => fails(503, 'api_error', '', { html: '<html><body>Bad gateway</body></html>' }),
  () => ({ kind: 'reset', at: 'before headers', reply: says('') }),
];

/** The response breaks off after it has said what it costs. */
const BROKEN: readonly Way[] = [
  (usage) => ({ kind: 'close', at: 4, reply: half(usage) }),
  (usage) => ({
    kind: 'error_event',
    at: 4,
    type: 'overloaded_error',
    message: 'Overloaded',
    reply: half(usage),
  }),
];

const LASTING: Readonly<Record<Failed['reason'], readonly Way[]>> = {
  model_failed: [
    () => fails(400, 'invalid_request_error', 'This feature is not available.'),
    () => fails(401, 'authentication_error', 'invalid x-api-key'),
    () => fails(403, 'permission_error', 'Your key may not use this model.'),
    () => fails(404, 'not_found_error', 'model: none'),
    (usage) => ({ ...says('What?'), stopReason: 'a_new_one', usage }),
    (usage) => ({ ...says('Nothing to call'), stopReason: 'tool_use', usage }),
    (usage) => ({ ...says(toolUse('read_file', {}, 'toolu_x'), toolUse('read_file', {}, 'toolu_x')), usage }),
  ],
  context_window: [
    () => fails(400, 'invalid_request_error', 'prompt is too long: 200001 tokens > 200000 maximum'),
  ],
};
