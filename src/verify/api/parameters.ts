/** Parameters that some models refuse, and those that do not go together. */
import { generationOf, maxOutputOf } from './models.ts';
import { invalid, isFields, listOf, wordOf, type Fields, type Refusal } from './values.ts';

/** In the order in which the API lists them. */
const EFFORTS: readonly unknown[] = ['high', 'low', 'max', 'medium', 'xhigh'];

export function checkParameters(body: Fields): Refusal | null {
  return (
    checkThinking(body) ?? checkChoice(body) ?? checkEffort(body) ?? checkFormat(body) ?? checkLength(body)
  );
}

const MODES: readonly unknown[] = ['enabled', 'adaptive', 'disabled', 'between_tools'];

function checkThinking({
  model,
  thinking,
  max_tokens: maxTokens,
  output_config: config,
}: Fields): Refusal | null {
  if (!isFields(thinking)) return null;
  const id = String(model);
  const generation = generationOf(id);
  const { type, budget_tokens: budget } = thinking;
  if (!MODES.includes(type)) {
    return invalid(
      `thinking: Input tag '${wordOf(type)}' found using 'type' does not match any of the expected tags`,
    );
  }
  if (type === 'between_tools' && !id.startsWith('claude-sonnet-5-5')) {
    return invalid('"thinking.type.between_tools" is not supported for this model.');
  }
  if (type === 'disabled' && /fable|mythos|opus-5-5|sonnet-5-5/.test(id)) {
    return invalid('"thinking.type.disabled" is not supported for this model.');
  }
  const isHard = isFields(config) && (config['effort'] === 'xhigh' || config['effort'] === 'max');
  if (isHard && (type === 'between_tools' || (type === 'disabled' && /opus-5|haiku-5-5/.test(id)))) {
    return invalid(`"thinking.type.${type}" is not supported for this model at this effort level.`);
  }
  if (type === 'enabled' && generation >= 4.7) {
    return invalid(
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    );
  }
  if (type === 'adaptive' && generation <= 4.5) {
    return invalid('adaptive thinking is not supported on this model');
  }
  if (type !== 'enabled') return null;
  if (typeof budget !== 'number' || budget < 1_024) {
    return invalid('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  }
  return budget < Number(maxTokens)
    ? null
    : invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
}

function checkChoice({ model, tools, tool_choice: choice, thinking }: Fields): Refusal | null {
  if (!isFields(choice)) return null;
  const type = wordOf(choice['type']);
  if (!['auto', 'any', 'tool', 'none'].includes(type)) {
    return invalid(
      `tool_choice: Input tag '${type}' found using 'type' does not match any of the expected tags`,
    );
  }
  if (listOf(tools).length === 0)
    return invalid('tool_choice: tool_choice may only be specified while providing tools.');
  const names = listOf(tools).flatMap((tool) => (isFields(tool) ? [tool['name']] : []));
  if (type === 'tool' && !names.includes(choice['name'])) {
    return invalid(`tool_choice: Tool '${wordOf(choice['name'])}' not found in provided tools`);
  }
  const isForced = type === 'any' || type === 'tool';
  if (!isForced) return null;
  if (isFields(thinking) && thinking['type'] === 'enabled') {
    return invalid('Thinking may not be enabled when tool_choice forces tool use.');
  }
  return /fable-5|mythos|opus-5-5|sonnet-5-5/.test(String(model))
    ? invalid('tool_choice: type `tool` and `any` are not supported for this model')
    : null;
}

function checkEffort({ model, output_config: config }: Fields): Refusal | null {
  const effort = isFields(config) ? config['effort'] : undefined;
  const levels = generationOf(String(model)) >= 4.7 ? EFFORTS : EFFORTS.filter((level) => level !== 'xhigh');
  if (effort === undefined || effort === null || levels.includes(effort)) return null;
  return invalid(
    `This model does not support effort level ${JSON.stringify(effort).replaceAll('"', "'")}. Supported levels: ${levels.join(', ')}.`,
  );
}

function checkFormat({ output_format: old, output_config: config }: Fields): Refusal | null {
  if (isFields(old) && old['schema'] === undefined) return invalid('output_format.schema: Field required');
  const format = isFields(config) ? config['format'] : undefined;
  return isFields(format) && format['schema'] === undefined
    ? invalid('output_config.format.schema: Field required')
    : null;
}

/** The longest answer of a model that is known; of the others none is too long. */
function checkLength({ model, max_tokens: maxTokens }: Fields): Refusal | null {
  const id = String(model);
  const most = maxOutputOf(id);
  return most === null || Number(maxTokens) <= most
    ? null
    : invalid(
        `max_tokens: ${String(maxTokens)} > ${most}, which is the maximum allowed number of output tokens for ${id}`,
      );
}
