/** Types of fields, as the API's schemas have them: of blocks, tools and parameters. What is not listed is not taken. */
import { firstOf, invalid, isFields, wordOf, type Fields, type Refusal } from './values.ts';

type Kind = 'string' | 'boolean' | 'object' | 'list' | 'text' | 'any';

/** Whose message a block may stand in; null: anybody's. */
interface BlockType {
  readonly role: 'user' | 'assistant' | null;
  readonly fields: Readonly<Record<string, Kind>>;
}

const cached = { cache_control: 'object' } as const;

const BLOCKS: Readonly<Record<string, BlockType>> = {
  text: { role: null, fields: { text: 'string', citations: 'any', ...cached } },
  image: { role: 'user', fields: { source: 'object', ...cached } },
  document: {
    role: null,
    fields: { source: 'object', title: 'string', context: 'string', citations: 'object', ...cached },
  },
  search_result: {
    role: 'user',
    fields: { source: 'string', title: 'string', content: 'list', citations: 'object', ...cached },
  },
  container_upload: { role: 'user', fields: { file_id: 'string', ...cached } },
  thinking: { role: 'assistant', fields: { thinking: 'string', signature: 'string' } },
  redacted_thinking: { role: 'assistant', fields: { data: 'string' } },
  tool_use: {
    role: 'assistant',
    fields: {
      id: 'string',
      name: 'string',
      input: 'object',
      caller: 'object',
      toolset_name: 'string',
      ...cached,
    },
  },
  tool_result: {
    role: 'user',
    fields: {
      tool_use_id: 'string',
      content: 'text',
      is_error: 'boolean',
      toolset_name: 'string',
      ...cached,
    },
  },
};

/** Blocks of tools that the API runs itself, of compactions and fallbacks: their insides are the API's own. */
const OWN_BLOCKS =
  /^(server_tool_use|mcp_tool_use|[a-z_]+_tool_result|compaction|fallback|tool_addition|tool_removal|tool_reference|mid_conv_system)$/;

const FITS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  object: isFields,
  list: Array.isArray,
  text: (value) => typeof value === 'string' || Array.isArray(value),
  any: () => true,
};

const WORDS: Readonly<Record<Kind, string>> = {
  string: 'Input should be a valid string',
  boolean: 'Input should be a valid boolean',
  object: 'Input should be a valid dictionary',
  list: 'Input should be a valid list',
  text: 'Input should be a valid string or list',
  any: '',
};

/** @param at where the block stands, such as `messages.0.content.1` */
export function checkBlockTypes(block: Fields, role: unknown, at: string): Refusal | null {
  const type = wordOf(block['type']);
  const known = Object.hasOwn(BLOCKS, type) ? BLOCKS[type] : undefined;
  if (known === undefined) {
    // What the API has said it takes back, also where it is newer than this list.
    return OWN_BLOCKS.test(type) || role === 'assistant'
      ? null
      : invalid(`${at}: Input tag '${type}' found using 'type' does not match any of the expected tags`);
  }
  if (known.role !== null && known.role !== role && role !== 'system') {
    return invalid(`${at}: \`${type}\` blocks can only be in \`${known.role}\` messages`);
  }
  return (
    checkFields(block, { type: 'string', ...known.fields }, `${at}.${type}`) ??
    checkCache(block, `${at}.${type}`)
  );
}

function checkFields(value: Fields, kinds: Readonly<Record<string, Kind>>, at: string): Refusal | null {
  return firstOf(Object.entries(value), ([field, inner]) => {
    const kind = Object.hasOwn(kinds, field) ? kinds[field] : undefined;
    if (kind === undefined) return invalid(`${at}.${field}: Extra inputs are not permitted`);
    const isEmpty = inner === null && field !== 'text' && field !== 'thinking';
    return isEmpty || FITS[kind](inner) ? null : invalid(`${at}.${field}: ${WORDS[kind]}`);
  });
}

function checkCache({ cache_control: cache }: Fields, at: string): Refusal | null {
  if (!isFields(cache) || cache['type'] === 'ephemeral') return null;
  return invalid(`${at}.cache_control.type: Input should be 'ephemeral'`);
}

const PARAMETERS: Readonly<Record<string, Kind>> = {
  system: 'text',
  stream: 'boolean',
  stop_sequences: 'list',
  tool_choice: 'object',
  thinking: 'object',
  output_config: 'object',
  metadata: 'object',
};

export const checkParameterTypes = (body: Fields): Refusal | null =>
  firstOf(Object.entries(PARAMETERS), ([field, kind]) => {
    const value = body[field];
    return value === undefined || value === null || FITS[kind](value)
      ? null
      : invalid(`${field}: ${WORDS[kind]}`);
  });

const TOOL: Readonly<Record<string, Kind>> = {
  type: 'string',
  name: 'string',
  description: 'string',
  input_schema: 'object',
  input_examples: 'list',
  strict: 'boolean',
  defer_loading: 'boolean',
  eager_input_streaming: 'boolean',
  allowed_callers: 'list',
  ...cached,
};

/** Of a tool of one's own. */
export function checkToolTypes(tool: Fields, at: string): Refusal | null {
  const schema = tool['input_schema'];
  const inner: Readonly<Record<string, Kind>> = { properties: 'object', required: 'list' };
  return (
    checkFields(tool, TOOL, at) ??
    checkCache(tool, at) ??
    firstOf(Object.entries(inner), ([field, kind]) =>
      !isFields(schema) || schema[field] === undefined || FITS[kind](schema[field])
        ? null
        : invalid(`${at}.input_schema: JSON schema is invalid. ${field}: ${WORDS[kind]}`),
    )
  );
}

/** Tools that the API defines itself have a dated type. */
export const isOwnTool = (type: unknown): boolean =>
  typeof type === 'string' && /^([a-z0-9_]+_20\d{6}|mcp_toolset)$/.test(type);

const MAX_BREAKPOINTS = 4;

/** Of system, tools and messages together. */
export function checkBreakpoints({ system, tools, messages }: Fields): Refusal | null {
  const count = markersIn([system, tools, messages]);
  return count <= MAX_BREAKPOINTS
    ? null
    : invalid(`A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${count}.`);
}

function markersIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + markersIn(item), 0);
  if (!isFields(value)) return 0;
  // What a tool takes or has been given may have a field of that name.
  const inside = Object.entries(value).filter(([field]) => field === 'content');
  const own = isFields(value['cache_control']) ? 1 : 0;
  return own + inside.reduce((sum, [, inner]) => sum + markersIn(inner), 0);
}
