import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type Tool } from '../../src/tools/define-tool.ts';
import { boxWith } from './box.ts';

interface Odd {
  readonly name?: string;
  readonly input?: unknown;
  readonly effects?: unknown;
  readonly timeoutMs?: unknown;
}

const toolOf = (spec: Odd): Tool =>
  defineTool({
    name: spec.name ?? 'odd',
    description: '',
    // What JavaScript would let through.
    input: ('input' in spec ? spec.input : z.strictObject({})) as z.ZodObject,
    effects: ('effects' in spec ? spec.effects : 'none') as 'none',
    timeoutMs: ('timeoutMs' in spec ? spec.timeoutMs : 1) as number,
    run: () => '',
  });

const cyclic = z.strictObject({
  get next() {
    return cyclic.optional();
  },
});

const cyclicJson: Record<string, unknown> = { type: 'object' };
cyclicJson['properties'] = { self: cyclicJson };

describe('the name of a tool', () => {
  it.each(['', 'a.b', 'a/b', 'a b', 'x'.repeat(65), 'ä'])('I05: may not be %j', (name) => {
    expect(() => toolOf({ name })).toThrow(TypeError);
  });

  it.each(['a', 'a_b-C9', 'x'.repeat(64)])('may be %j', (name) => {
    expect(toolOf({ name }).definition.name).toBe(name);
  });
});

describe('a tool', () => {
  it.each([
    { effects: 'banana' },
    { effects: '' },
    { effects: undefined },
    { effects: ['none'] },
    { timeoutMs: NaN },
    { timeoutMs: -1 },
    { timeoutMs: 0 },
    { timeoutMs: '5' },
    { timeoutMs: null },
  ])('with %j is refused, and the error names it', (spec) => {
    expect(() => toolOf(spec)).toThrow(TypeError);
    expect(() => toolOf(spec)).toThrow(/^Tool odd: (its effects|timeoutMs)/);
  });

  it.each([{ effects: 'some' }, { timeoutMs: Infinity }, { timeoutMs: 0.5 }])('may have %j', (spec) => {
    expect(toolOf(spec)).toMatchObject(spec);
  });
});

describe('the input of a tool', () => {
  it.each([
    { what: 'a string', input: z.string() },
    { what: 'a union', input: z.union([z.strictObject({}), z.strictObject({ a: z.string() })]) },
    { what: 'null', input: null },
    { what: 'undefined', input: undefined },
    { what: 'an object without a schema', input: {} },
    { what: 'a JSON Schema', input: { type: 'object', required: null } },
    { what: 'a JSON Schema of a string', input: { type: 'string' } },
    { what: 'a JSON Schema of alternatives', input: { anyOf: [{ type: 'object' }, { type: 'string' }] } },
    { what: 'a JSON Schema that holds itself', input: cyclicJson },
    { what: 'a type that JSON Schema does not know', input: z.strictObject({ when: z.date() }) },
    { what: 'a field with a bracket in its name', input: z.strictObject({ 'filter[id]': z.string() }) },
    { what: 'a field with 65 letters', input: z.strictObject({ ['x'.repeat(65)]: z.string() }) },
  ])('I06: may not be $what, and the error names the tool', ({ input }) => {
    const making = (): Tool => toolOf({ input });
    expect(making).toThrow(TypeError);
    expect(making).toThrow(/Tool odd/);
  });

  it.each([
    { what: 'nothing', input: z.strictObject({}), schema: { type: 'object', properties: {} } },
    {
      what: 'a field that need not be there',
      input: z.strictObject({ 'a.b': z.string(), limit: z.int().default(5) }),
      schema: { type: 'object', required: ['a.b'] },
    },
    { what: 'an object that holds itself (I06)', input: cyclic, schema: { type: 'object' } },
  ])('may be $what, and is sent as the JSON Schema of an object', ({ input, schema }) => {
    expect(toolOf({ input }).definition.input_schema).toMatchObject(schema);
  });

  it('is sent without the address of its dialect', () => {
    expect(toolOf({}).definition.input_schema).not.toHaveProperty('$schema');
  });

  it('is parsed before it runs, and what is left out gets its default (I08)', () => {
    const tool = toolOf({ input: z.strictObject({ limit: z.int().default(5) }) });
    expect(tool.parse({})).toEqual({ ok: true, value: { limit: 5 } });
    expect(tool.parse({ limit: null })).toMatchObject({ ok: false });
  });
});

describe('a schema whose own check throws', () => {
  it.each([
    {
      what: 'at once',
      check: () => {
        throw new Error('no table');
      },
    },
    { what: 'as a promise', check: () => Promise.resolve(true) },
  ])('$what makes the call invalid, and nothing is thrown', ({ check }) => {
    const odd = toolOf({ input: z.strictObject({ a: z.string().refine(check) }) });
    expect(boxWith({ tools: [odd] }).judge('odd', { a: 'x' })).toEqual({
      verdict: 'invalid',
      effects: 'none',
      refusal: expect.stringMatching(/^odd failed: \S/),
      rule: null,
    });
  });
});
