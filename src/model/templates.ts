/**
 * Templates in a script: `{{…}}` in any text of a turn. The set is small and closed, nothing is evaluated:
 *
 * - `task`, `result N`, `last_result`: the whole text; results are counted from 1 over the conversation
 * - `first_line S`, `last_line S`, `line N S`: one line of it, where S is one of the above
 * - `mean`, `min`, `max`, `sum`, `count`, `values` + `S column=NAME`: over a column of the CSV table in it
 */
import { columnOf } from './csv.ts';
import type { Conversation } from './conversation.ts';

/** A template that means nothing, or that has nothing to work on. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

const knownTemplates =
  '{{task}}, {{result N}}, {{last_result}}, {{first_line S}}, {{last_line S}}, {{line N S}}, and ' +
  '{{mean S column=NAME}} with mean, min, max, sum, count or values, where S is task, result N or last_result';

/** @throws {TemplateError} naming the template that is not known */
export const checkTemplates = (text: string): void => void parts(text);

/** @throws {TemplateError} when a result, a line or a column is missing */
export const fill = (text: string, conversation: Conversation): string =>
  parts(text)
    .map((part) => (typeof part === 'string' ? part : part(conversation)))
    .join('');

type Template = (conversation: Conversation) => string;

/** Plain text and templates in turn. */
function parts(text: string): readonly (string | Template)[] {
  return text.split(/(\{\{.*?\}\})/s).map((part) => {
    if (!part.includes('{{')) return part;
    if (!part.endsWith('}}')) throw new TemplateError('a template begins with {{ and does not end');
    return templateOf(part.slice(2, -2).trim());
  });
}

function templateOf(text: string): Template {
  const column = /^(mean|min|max|sum|count|values)\s+(.+?)\s+column=(.+)$/s.exec(text);
  if (column) return columnTemplate(column[1] ?? '', sourceOf(column[2] ?? '', text), column[3] ?? '', text);
  const line = /^(?:(first_line|last_line)|line\s+([1-9]\d*))\s+(.+)$/s.exec(text);
  if (!line) return sourceOf(text, text);
  const source = sourceOf(line[3] ?? '', text);
  const index = line[1] === 'first_line' ? 0 : line[1] === 'last_line' ? -1 : Number(line[2]) - 1;
  return (conversation) =>
    found(source(conversation).trim().split(/\r?\n/).at(index), text, 'there is no such line');
}

function sourceOf(name: string, template: string): Template {
  if (name === 'task') return ({ task }) => task;
  if (name === 'last_result')
    return ({ results }) => found(results.at(-1), template, 'there is no result yet');
  const number = /^result\s+([1-9]\d*)$/.exec(name)?.[1];
  if (number === undefined)
    throw new TemplateError(`{{${template}}} is no template. There are: ${knownTemplates}`);
  return ({ results }) =>
    found(results[Number(number) - 1], template, `there are only ${results.length} results`);
}

function columnTemplate(name: string, source: Template, column: string, template: string): Template {
  return (conversation) => {
    const values = found(columnOf(source(conversation), column), template, `there is no column "${column}"`);
    const wrong = values.find((value) => !Number.isFinite(Number(value)));
    if (wrong !== undefined) throw missing(template, `"${wrong}" is no number`);
    if (values.length === 0) throw missing(template, `the column "${column}" is empty`);
    return calculate(name, values.map(Number));
  };
}

function calculate(name: string, values: readonly number[]): string {
  const sum = values.reduce((total, value) => total + value, 0);
  switch (name) {
    case 'mean':
      return rounded(sum / values.length);
    case 'min':
      return rounded(Math.min(...values));
    case 'max':
      return rounded(Math.max(...values));
    case 'sum':
      return rounded(sum);
    case 'count':
      return rounded(values.length);
    default:
      return values.map(rounded).join(', ');
  }
}

/** Two decimals at most. */
const rounded = (value: number): string => String(Math.round(value * 100) / 100);

function found<Value>(value: Value | undefined, template: string, problem: string): Value {
  if (value === undefined) throw missing(template, problem);
  return value;
}

const missing = (template: string, problem: string): TemplateError =>
  new TemplateError(`{{${template}}}: ${problem}`);
