/** Requests of the Messages API, right but for what is changed. */
export const user = (...content: readonly unknown[]) => ({ role: 'user', content });
export const text = (words: string) => ({ type: 'text', text: words });
export const result = (id: unknown) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
export const tool = (changes: object = {}) => ({
  name: 't',
  description: 'd',
  input_schema: { type: 'object', properties: {} },
  ...changes,
});

/** JSON has no undefined: fields that are undefined are not there. */
export const body = (changes: object): unknown =>
  JSON.parse(
    JSON.stringify({
      model: 'claude-haiku-5-5',
      max_tokens: 100,
      messages: [user(text('hi'))],
      ...changes,
    }),
  );

/** A request in whose history the assistant said something. */
export const saying = (...content: readonly unknown[]) =>
  body({
    tools: [tool()],
    messages: [user(text('hi')), { role: 'assistant', content }, user(text('go on'))],
  });

export const SHAPE = 'Input does not match the expected shape.';

export const isNoTag = (at: string, tag: string) =>
  `${at}: Input tag '${tag}' found using 'type' does not match any of the expected tags`;

/** What is asked, and what the API says of it; null: nothing. */
export type Row = readonly [string, unknown, string | null];
