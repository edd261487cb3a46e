/** What is wrong with the input of a call, in words that a model can act on. */
import type { z } from 'zod';
import type { ToolDefinition } from '../ports.ts';
import type { FieldProblem } from './texts/toolbox.ts';

export const problemsOf = (error: z.ZodError): readonly FieldProblem[] =>
  error.issues.map((issue) => ({ field: issue.path.map(String).join('.'), problem: issue.message }));

/** "read_file takes: path (string), from_line (integer, optional)." */
export function takesOf({ name, input_schema: schema }: ToolDefinition): string {
  const properties = recordOf(schema['properties']);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(properties).map(([field, property]) => {
    const type = typeOf(recordOf(property));
    return `${field} (${required.includes(field) ? type : `${type}, optional`})`;
  });
  return fields.length === 0 ? `${name} takes no fields.` : `${name} takes: ${fields.join(', ')}.`;
}

function typeOf({ type, enum: choices }: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(choices)) return `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
  return typeof type === 'string' ? type : 'see its schema';
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
