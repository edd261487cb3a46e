/**
 * Rules as one writes them in a shell: `run_python`, `read_file(path=data/**)`, `run_python(code*=subprocess)`,
 * `run_python(code~=/import os/)`, `write_file(content>10000)`. What follows the operator is taken as it is, up to the last
 * parenthesis: nothing needs escaping, and so nothing can be escaped wrongly.
 */
import { UserError } from '../errors.ts';
import type { Matcher, Rule } from '../ports.ts';
import { visibleLine } from '../text/visible.ts';
import { matcherSchema, toolSchema } from './schema.ts';

/** The calls that a rule is about. */
export type Selector = Omit<Rule, 'verdict'>;

const SHAPE = /^([\w-]+|\*)(?:\(([\w.-]+)(\*=|~=|>=|<=|[=<>])(.+)\))?$/s;

const EXAMPLES =
  'Write TOOL, TOOL(argument=glob), TOOL(argument*=text), TOOL(argument~=/regex/), or TOOL(argument>characters); * stands for all tools.';

/** @throws {UserError} when it is no rule */
export function parseSelector(text: string): Selector {
  const [, tool = '', argument, operator = '', value = ''] = SHAPE.exec(text) ?? [];
  if (!toolSchema.safeParse(tool).success) throw new UserError(`${shown(text)} is no rule. ${EXAMPLES}`);
  if (argument === undefined) return { tool };
  const parsed = matcherSchema.safeParse(matcherOf(argument, operator, value));
  if (parsed.success) return { tool, match: parsed.data };
  throw new UserError(
    `${shown(text)} is no rule. ${parsed.error.issues.map(({ message }) => message).join(' ')}`,
  );
}

/** The same selector has one text, and `parseSelector` reads it back. */
export function printSelector({ tool, match }: Selector): string {
  return match === undefined ? tool : `${tool}(${match.argument}${operationOf(match)})`;
}

/** As it stands in facts and on screens. */
export const printRule = ({ verdict, ...selector }: Rule): string => `${verdict} ${printSelector(selector)}`;

function matcherOf(argument: string, operator: string, value: string): Readonly<Record<string, unknown>> {
  switch (operator) {
    case '*=':
      return { argument, contains: value };
    case '~=':
      return { argument, regex: regexIn(value) };
    case '>=':
      return { argument, atLeast: sizeIn(value) };
    case '>':
      return { argument, atLeast: sizeIn(value) + 1 };
    case '<=':
      return { argument, atMost: sizeIn(value) };
    case '<':
      return { argument, atMost: sizeIn(value) - 1 };
    default:
      return { argument, glob: value };
  }
}

function regexIn(value: string): string {
  if (value.length >= 2 && value.startsWith('/') && value.endsWith('/')) return value.slice(1, -1);
  throw new UserError(
    `${shown(value)} is no regular expression: it stands between slashes, as in code~=/import os/.`,
  );
}

function sizeIn(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new UserError(`${shown(value)} is no size: it takes a whole number of characters.`);
}

function operationOf(match: Matcher): string {
  if ('glob' in match) return `=${match.glob}`;
  if ('contains' in match) return `*=${match.contains}`;
  if ('regex' in match) return `~=/${match.regex}/`;
  return 'atLeast' in match ? `>=${match.atLeast}` : `<=${match.atMost}`;
}

const MAX_SHOWN = 200;

const shown = (text: string): string => JSON.stringify(visibleLine(text).slice(0, MAX_SHOWN).toWellFormed());
