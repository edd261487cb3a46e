/** Rules that do nothing: most likely they were meant to do something else. */
import type { Rule, ToolDefinition } from '../ports.ts';
import { printRule, printSelector } from './text.ts';

/** Why no call of these tools can ever match, or null. */
export function whyNever({ tool, match }: Rule, tools: readonly ToolDefinition[]): string | null {
  const names = tools.map(({ name }) => name).join(', ');
  const there = names === '' ? 'The run has no tools' : `Tools of the run are: ${names}`;
  const about = tools.filter(({ name }) => tool === '*' || tool === name);
  if (about.length === 0) return tool === '*' ? `${there}.` : `There is no tool ${tool}. ${there}.`;
  if (match === undefined || about.some((definition) => takesText(definition, match.argument))) return null;
  const { argument } = match;
  if (about.every((definition) => typesOf(definition, argument) === null)) {
    return tool === '*'
      ? `No tool has an argument ${argument}.`
      : `${tool} has no argument ${argument}. It has: ${about.flatMap(argumentsOf).join(', ') || 'none'}.`;
  }
  return `The argument ${argument} is no text.`;
}

/** A stronger rule about the same calls, or more: this one never decides. */
export function shadowOf(rule: Rule, rules: readonly Rule[]): Rule | null {
  const stronger = rules.filter(({ verdict }) => STRENGTH[verdict] > STRENGTH[rule.verdict]);
  return stronger.find((other) => covers(other, rule)) ?? null;
}

/** For people: what is odd about the rules of a run. */
export const warningsAbout = (rules: readonly Rule[], tools: readonly ToolDefinition[]): readonly string[] =>
  rules.flatMap((rule) => {
    const why = whyNever(rule, tools);
    const shadow = shadowOf(rule, rules);
    return [
      ...(why === null ? [] : [`The rule "${printRule(rule)}" can never match. ${why}`]),
      ...(why !== null || shadow === null
        ? []
        : [`The rule "${printRule(rule)}" never decides: "${printRule(shadow)}" is stronger.`]),
    ];
  });

const STRENGTH = { deny: 2, ask: 1, allow: 0 } as const;

const covers = (wide: Rule, narrow: Rule): boolean =>
  (wide.tool === '*' || wide.tool === narrow.tool) &&
  (wide.match === undefined ||
    (narrow.match !== undefined &&
      printSelector({ ...wide, tool: '*' }) === printSelector({ ...narrow, tool: '*' })));

type Schema = ToolDefinition['input_schema'];

const propertiesOf = ({ input_schema: { properties } }: ToolDefinition): Readonly<Record<string, unknown>> =>
  isRecord(properties) ? properties : {};

const argumentsOf = (definition: ToolDefinition): readonly string[] => Object.keys(propertiesOf(definition));

const takesText = (definition: ToolDefinition, argument: string): boolean => {
  const types = typesOf(definition, argument);
  return types !== null && (types === 'any' || types.some((type) => TEXTS.includes(type)));
};

/** A list counts by its texts, an object is not certain. */
const TEXTS = ['string', 'array', 'object'];

/** JSON types that an argument may have; null where the tool takes no such argument. */
function typesOf(definition: ToolDefinition, argument: string): readonly string[] | 'any' | null {
  const properties = propertiesOf(definition);
  if (Object.hasOwn(properties, argument)) return typesIn(properties[argument]);
  return isOpen(definition.input_schema) ? 'any' : null;
}

/** What zod writes for an object that takes more than it names. */
const isOpen = (schema: Schema): boolean =>
  schema['additionalProperties'] === true || isRecord(schema['additionalProperties']);

/** Only what is certain: a schema that says no type, or refers to another place, may be anything. */
function typesIn(schema: unknown): readonly string[] | 'any' {
  if (!isRecord(schema)) return 'any';
  const { type, anyOf } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.map(String);
  if (!Array.isArray(anyOf)) return 'any';
  const types = anyOf.map(typesIn);
  return types.includes('any') ? 'any' : types.flatMap((each) => (each === 'any' ? [] : each));
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
