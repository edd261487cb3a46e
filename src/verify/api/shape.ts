/** Fields of the body and of its messages. */
import { checkBlockTypes, checkBreakpoints, checkParameterTypes } from './types.ts';
import { firstOf, invalid, isFields, wordOf, type Fields, type Refusal } from './values.ts';

const FIELDS = new Set(
  `model messages max_tokens system tools tool_choice stream stop_sequences metadata thinking output_config
  output_format service_tier inference_geo cache_control container context_management mcp_servers speed fallbacks
  thread compaction diagnostics betas user_profile_id fallback_credit_token`.split(/\s+/),
);

/** Gone with version 2026-10-21. */
const SAMPLING = ['temperature', 'top_p', 'top_k'];

const ROLES: readonly unknown[] = ['user', 'assistant', 'system'];

export function checkShape(body: Fields, version: string): Refusal | null {
  const extra = Object.keys(body).find(
    (field) => !FIELDS.has(field) && !(version === '2023-06-01' && SAMPLING.includes(field)),
  );
  if (extra !== undefined) return invalid(`${extra}: Extra inputs are not permitted`);
  const missing = ['model', 'max_tokens', 'messages'].find((field) => body[field] === undefined);
  if (missing !== undefined) return invalid(`${missing}: Field required`);
  const { model, max_tokens: maxTokens, messages } = body;
  if (typeof model !== 'string' || model === '') return invalid('model: Input should be a valid string');
  if (!Number.isSafeInteger(maxTokens)) return invalid('max_tokens: Input should be a valid integer');
  if (Number(maxTokens) < 0) return invalid('max_tokens: Input should be greater than or equal to 0');
  if (!Array.isArray(messages)) return invalid('messages: Input should be a valid list');
  if (messages.length === 0) return invalid('messages: at least one message is required');
  return checkParameterTypes(body) ?? firstOf(messages, checkMessage) ?? checkBreakpoints(body);
}

function checkMessage(message: unknown, index: number): Refusal | null {
  const at = `messages.${index}`;
  if (!isFields(message)) return invalid(`${at}: Input does not match the expected shape.`);
  const { role, content } = message;
  if (role === undefined) return invalid(`${at}.role: Field required`);
  if (!ROLES.includes(role)) {
    return invalid(`${at}.role: Input should be 'user', 'assistant' or 'system'`);
  }
  const extra = Object.keys(message).find((field) => !MESSAGE_FIELDS.has(field));
  if (extra !== undefined) return invalid(`${at}.${extra}: Extra inputs are not permitted`);
  if (content === undefined) return invalid(`${at}.content: Field required`);
  if (typeof content === 'string') return null;
  if (!Array.isArray(content)) return invalid(`${at}.content: Input should be a valid list`);
  return firstOf(content, (block, position) => checkBlock(block, role, `${at}.content.${position}`));
}

const MESSAGE_FIELDS = new Set(['role', 'content', 'output_config', 'clear_at']);

/** What a block of a known type must have. */
const REQUIRED = new Map<string, readonly string[]>([
  ['text', ['text']],
  ['tool_use', ['id', 'name', 'input']],
  ['tool_result', ['tool_use_id']],
  ['thinking', ['thinking', 'signature']],
  ['redacted_thinking', ['data']],
  ['image', ['source']],
]);

const ID = /^[a-zA-Z0-9_-]+$/;
const MAX_NAME = 200;

function checkBlock(block: unknown, role: unknown, at: string): Refusal | null {
  if (!isFields(block)) return invalid(`${at}: Input does not match the expected shape.`);
  const { type } = block;
  if (typeof type !== 'string') return invalid(`${at}.type: Field required`);
  const missing = REQUIRED.get(type)?.find((field) => block[field] === undefined);
  if (missing !== undefined) return invalid(`${at}.${type}.${missing}: Field required`);
  if (type === 'tool_use' && !isFields(block['input'])) {
    return invalid(`${at}.tool_use.input: Input should be a valid dictionary`);
  }
  if (type === 'tool_use' && block['name'] === '') {
    return invalid(`${at}.tool_use.name: String should have at least 1 character`);
  }
  if (type === 'tool_use' && wordOf(block['name']).length > MAX_NAME) {
    return invalid(`${at}.tool_use.name: String should have at most ${MAX_NAME} characters`);
  }
  const id = type === 'tool_use' ? block['id'] : type === 'tool_result' ? block['tool_use_id'] : 'fine';
  if (!ID.test(wordOf(id))) {
    return invalid(`${at}.${type}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  }
  return checkBlockTypes(block, role, at);
}
