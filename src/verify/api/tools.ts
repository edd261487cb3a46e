/** Tool definitions. */
import { checkToolTypes, isOwnTool } from './types.ts';
import { firstOf, invalid, isFields, listOf, type Fields, type Refusal } from './values.ts';

/** The documentation says 64, the live check 128. */
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

const COMBINATORS = ['oneOf', 'allOf', 'anyOf'];

export function checkTools({ tools }: Fields): Refusal | null {
  if (tools === undefined) return null;
  if (!Array.isArray(tools)) return invalid('tools: Input should be a valid list');
  const names = listOf(tools).flatMap((tool) => (isFields(tool) && 'name' in tool ? [tool['name']] : []));
  if (new Set(names).size < names.length) return invalid('tools: Tool names must be unique.');
  const isAllDeferred =
    tools.length > 0 && tools.every((tool) => isFields(tool) && tool['defer_loading'] === true);
  if (isAllDeferred) return invalid('tools: At least one tool must have defer_loading=false.');
  return firstOf(tools, checkTool);
}

function checkTool(tool: unknown, index: number): Refusal | null {
  const at = `tools.${index}`;
  if (!isFields(tool)) return invalid(`${at}: Input does not match the expected shape.`);
  const { type, name, input_schema: schema } = tool;
  // Tools that the API defines itself have a dated type and no schema.
  if (isOwnTool(type)) return null;
  if (type !== undefined && type !== null && type !== 'custom') {
    return invalid(
      `${at}: Input tag '${JSON.stringify(type)}' found using 'type' does not match any of the expected tags`,
    );
  }
  if (name === undefined) return invalid(`${at}.custom.name: Field required`);
  if (typeof name !== 'string' || !NAME.test(name)) {
    return invalid(`${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  }
  if (!isFields(schema)) return invalid(`${at}.custom.input_schema: Field required`);
  if (schema['type'] === undefined) return invalid(`${at}.custom.input_schema.type: Field required`);
  if (schema['type'] !== 'object') return invalid(`${at}.custom.input_schema.type: Input should be 'object'`);
  return COMBINATORS.some((keyword) => keyword in schema)
    ? invalid(
        `${at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
      )
    : checkToolTypes(tool, `${at}.custom`);
}
