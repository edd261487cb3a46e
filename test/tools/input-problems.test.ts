import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/tools/define-tool.ts';
import { problemsOf, takesOf } from '../../src/tools/input-problems.ts';

const definitionOf = (input: z.ZodObject) =>
  defineTool({ name: 't', description: '', input, effects: 'none', run: () => '' }).definition;

describe('what a tool takes', () => {
  it.each([
    { input: z.strictObject({}), takes: 't takes no fields.' },
    { input: z.strictObject({ a: z.string() }), takes: 't takes: a (string).' },
    {
      input: z.strictObject({ a: z.array(z.string()), b: z.int().default(1), c: z.boolean().optional() }),
      takes: 't takes: a (array), b (integer, optional), c (boolean, optional).',
    },
    { input: z.strictObject({ a: z.enum(['x', 'y']) }), takes: 't takes: a (one of "x", "y").' },
    { input: z.strictObject({ a: z.string().nullable() }), takes: 't takes: a (see its schema).' },
  ])('is said so: $takes', ({ input, takes }) => {
    expect(takesOf(definitionOf(input))).toBe(takes);
  });

  it.each([
    { schema: { type: 'object' } as const, takes: 't takes no fields.' },
    {
      schema: { type: 'object', properties: { a: true } } as const,
      takes: 't takes: a (see its schema, optional).',
    },
  ])('is said of the schema of a tool that is no product of defineTool: $takes', ({ schema, takes }) => {
    expect(takesOf({ name: 't', description: '', input_schema: schema })).toBe(takes);
  });
});

it.each([
  { input: { rows: [{ id: 'x' }] }, field: 'rows.0.id' },
  { input: [], field: '' },
])('the problem of $input is that of the field "$field"', ({ input, field }) => {
  const { error } = z.strictObject({ rows: z.array(z.strictObject({ id: z.int() })) }).safeParse(input);
  expect(error && problemsOf(error)).toEqual([{ field, problem: expect.stringContaining('expected') }]);
});
