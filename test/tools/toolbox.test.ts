import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, ToolError, type Tool } from '../../src/tools/define-tool.ts';
import { readFile } from '../../src/tools/read-file.ts';
import { ToolTimeout } from '../../src/tools/tool-timeout.ts';
import { createRedactor } from '../../src/text/redact.ts';
import { boxWith, never } from './box.ts';

type Run = Parameters<typeof defineTool>[0]['run'];

const tool = (
  name: string,
  run: Run = () => 'ok',
  effects: 'none' | 'some' = 'none',
  timeoutMs = 30_000,
): Tool => defineTool({ name, description: name, input: z.strictObject({}), effects, run, timeoutMs });

const lists = defineTool({
  name: 'lists',
  description: 'Takes a list.',
  input: z.strictObject({ paths: z.array(z.string()), limit: z.int().optional() }),
  effects: 'none',
  run: ({ paths }) => paths.join(),
});

const fail = (message: string): never => {
  throw new Error(message);
};

const runIn = (only: Tool, signal = never, options = {}) =>
  boxWith({ tools: [only], ...options }).run({ id: 'a', name: only.definition.name, input: {} }, signal);

describe('the input of a call', () => {
  const box = boxWith({ tools: [readFile(), lists] });

  it.each([
    { name: 'read_file', input: { path: 'a.txt' }, says: null },
    { name: 'read_file', input: { path: 'a.txt', from_line: 2 }, says: null },
    { name: 'read_file', input: { path: 'a.txt', from_line: null }, says: /from_line.*number/ },
    { name: 'read_file', input: { path: 'a.txt', extra: 1 }, says: /extra/ },
    { name: 'read_file', input: { path: null }, says: /path.*string/ },
    { name: 'read_file', input: {}, says: /path.*string/ },
    { name: 'read_file', input: 'a.txt', says: /object/ },
    { name: 'read_file', input: [], says: /object/ },
    { name: 'read_file', input: { path: 'a', from_line: 0 }, says: /from_line/ },
    { name: 'lists', input: { paths: ['a.txt'] }, says: null },
    { name: 'read_file', input: null, says: /object/ },
    { name: 'read_file', input: { path: 'a', to_line: '3' }, says: /to_line.*number/ },
    { name: 'read_file', input: { path: 'a', to_line: 1.5 }, says: /to_line.*int/ },
    { name: 'lists', input: { paths: '["a.txt"]' }, says: /paths.*array/ },
    { name: 'lists', input: { paths: ['a.txt', 1] }, says: /paths\.1.*string/ },
    { name: 'list_files', input: {}, says: /no tool "list_files".*read_file, lists/ },
  ])('I01, I08: $name $input is judged, and says the field and what it takes', ({ name, input, says }) => {
    const { verdict, refusal } = box.judge(name, input);
    expect(verdict).toBe(says === null ? 'allow' : 'invalid');
    if (says === null) expect(refusal).toBeNull();
    else expect(refusal).toMatch(says);
    if (says !== null && name === 'read_file') {
      expect(refusal).toContain('read_file takes: path (string), from_line (integer, optional)');
    }
  });

  it('is refused in words of bounded length, whatever it holds', () => {
    const input = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`field_${n}`, n]));
    expect(box.judge('lists', input).refusal?.length).toBeLessThan(31_000);
  });

  it('that was no JSON is invalid, and its start is shown', () => {
    const judgement = box.judge('lists', { INVALID_JSON: '{"paths": [' }, '{"paths": [');
    expect(judgement).toMatchObject({ verdict: 'invalid' });
    expect(judgement.refusal).toContain('{"paths": [');
  });
});

describe('the verdict', () => {
  const deny = { tool: 't', verdict: 'deny' } as const;
  const ask = { tool: 't', verdict: 'ask' } as const;
  const allow = { tool: 't', verdict: 'allow' } as const;

  it.each([
    { effects: 'none', rules: [], approveAll: false, verdict: 'allow', rule: null },
    { effects: 'some', rules: [], approveAll: false, verdict: 'ask', rule: null },
    { effects: 'some', rules: [], approveAll: true, verdict: 'allow', rule: 'approveAll' },
    { effects: 'some', rules: [allow], approveAll: false, verdict: 'allow', rule: 'allow t' },
    { effects: 'none', rules: [ask], approveAll: false, verdict: 'ask', rule: 'ask t' },
    { effects: 'none', rules: [ask], approveAll: true, verdict: 'allow', rule: 'approveAll' },
    { effects: 'some', rules: [allow, ask], approveAll: false, verdict: 'ask', rule: 'ask t' },
    { effects: 'none', rules: [allow, deny], approveAll: false, verdict: 'deny', rule: 'deny t' },
    { effects: 'none', rules: [deny, ask, allow], approveAll: true, verdict: 'deny', rule: 'deny t' },
    {
      effects: 'some',
      rules: [{ tool: 'other', verdict: 'deny' }],
      approveAll: false,
      verdict: 'ask',
      rule: null,
    },
  ] as const)('of a tool with effects $effects, $rules, approveAll $approveAll is $verdict', (row) => {
    const box = boxWith({
      tools: [tool('t', undefined, row.effects)],
      rules: row.rules,
      approveAll: row.approveAll,
    });
    expect(box.judge('t', {})).toEqual({
      verdict: row.verdict,
      effects: row.effects,
      refusal: row.verdict === 'deny' ? expect.stringMatching(/^A rule of this run denies t\./) : null,
      rule: row.rule,
    });
  });
});

describe('a tool', () => {
  it.each<{ readonly ends: string; readonly run: Run; readonly outcome: object }>([
    { ends: 'returns', run: () => 'fine', outcome: { kind: 'succeeded', content: 'fine' } },
    {
      ends: 'throws what it wrote for the model',
      run: () => Promise.reject(new ToolError('Try b.txt.')),
      outcome: { kind: 'failed', content: 'Try b.txt.' },
    },
    {
      ends: 'throws anything else (A02)',
      run: () => {
        throw new TypeError('x is undefined');
      },
      outcome: { kind: 'failed', content: expect.stringContaining('t failed: x is undefined') },
    },
    {
      ends: 'throws many lines and colours',
      run: () => Promise.reject(new Error('a\n\tb\u001b[31m')),
      outcome: { kind: 'failed', content: expect.stringMatching(/^t failed: a b \[31m\. [^\n]*$/) },
    },
    {
      ends: 'throws something that has no text',
      run: () => Promise.reject(Object.create(null)),
      outcome: { kind: 'failed', content: expect.stringContaining('t failed: no reason was given.') },
    },
    {
      ends: 'returns no string',
      // What JavaScript would let through.
      run: (() => undefined) as unknown as Run,
      outcome: { kind: 'failed', content: expect.stringContaining('t failed: it returned undefined') },
    },
    {
      ends: 'reached its own time limit',
      run: () => Promise.reject(new ToolTimeout('over', 500)),
      outcome: { kind: 'timed_out', content: 'over', afterMs: 500 },
    },
  ])('that $ends has an outcome', async ({ run, outcome }) => {
    expect(await runIn(tool('t', run))).toEqual(outcome);
  });

  it('that throws leaves the calls beside it alone (A02)', async () => {
    const breaks = tool('breaks', () => Promise.reject(new Error('EIO')));
    const box = boxWith({ tools: [tool('t'), breaks] });
    const run = (name: string) => box.run({ id: name, name, input: {} }, never);
    const outcomes = await Promise.all([run('t'), run('breaks'), run('t')]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['succeeded', 'failed', 'succeeded']);
  });

  it('that is no product of defineTool and throws at once has failed (A02)', async () => {
    const raw: Tool = {
      ...tool('t'),
      run: () => {
        throw new Error('at once');
      },
    };
    expect(await runIn(raw)).toMatchObject({ kind: 'failed', content: expect.stringContaining('at once') });
  });

  it.each([Infinity, 2 ** 31])('whose time is %d ms is not stopped at once', async (timeoutMs) => {
    const later: Run = () => new Promise((resolve) => setTimeout(resolve, 20, 'done'));
    expect(await runIn(tool('t', later, 'none', timeoutMs))).toEqual({ kind: 'succeeded', content: 'done' });
  });

  it('that is not there has failed', async () => {
    const outcome = await boxWith({ tools: [] }).run({ id: 'a', name: 'gone', input: {} }, never);
    expect(outcome).toMatchObject({ kind: 'failed' });
  });
});

describe('what the model is sent', () => {
  it('is cut between characters, and says how much is missing (A20)', async () => {
    const outcome = await runIn(
      tool('t', () => `${'a'.repeat(49)}${'🚀'.repeat(100)}`),
      never,
      { maxOutputCharacters: 100 },
    );
    expect(outcome.content.isWellFormed()).toBe(true);
    expect(outcome.content).toMatch(/^a{49}🚀\n\[49 characters left out here.*\]\n🚀{50}$/u);
  });

  const secret = 'sk-secret-0123456789';
  it.each([
    {
      what: 'an error',
      maxOutputCharacters: 1_000,
      run: () => fail(`${'x'.repeat(490)}${secret}`),
      shows: /x\[redacted/,
    },
    {
      what: 'an error over lines',
      maxOutputCharacters: 1_000,
      run: () => fail('a-\nsecret'),
      shows: /failed: \[redacted\]/,
    },
    {
      what: 'a long result',
      maxOutputCharacters: 100,
      run: () => `${'x'.repeat(45)}${secret}${'y'.repeat(200)}`,
      shows: /x\[reda\n/,
    },
  ])('is masked before $what is cut', async ({ run, shows, maxOutputCharacters }) => {
    const redact = createRedactor([secret, 'a-\nsecret']);
    const { content } = await runIn(tool('t', run), never, { redact, maxOutputCharacters });
    expect(content).toMatch(shows);
    expect(content).not.toContain(secret.slice(0, 8));
  });

  it('is masked before the start of input that is no JSON is shown', () => {
    const box = boxWith({ tools: [lists], redact: createRedactor([secret]) });
    const { refusal } = box.judge('lists', {}, `${'x'.repeat(190)}${secret}`);
    expect(refusal).toContain('x[redacted]');
    expect(refusal).not.toContain('sk-');
  });

  it('does not name the file with the whole output; the outcome does', async () => {
    const keeps = tool('t', (_, { noteOutputFile, runId, callId }) => {
      noteOutputFile(`${runId}-${callId}.txt`);
      return 'cut';
    });
    expect(await runIn(keeps)).toEqual({ kind: 'succeeded', content: 'cut', outputFile: 'run1-a.txt' });
    const abandoned = tool(
      't',
      (_, { noteOutputFile }) => {
        noteOutputFile('b.txt');
        return new Promise(() => undefined);
      },
      'none',
      5,
    );
    expect(await runIn(abandoned, never, { graceMs: 1 })).toMatchObject({
      kind: 'timed_out',
      outputFile: 'b.txt',
    });
  });

  it('is well-formed, and holds no secret (D14)', async () => {
    const redact = createRedactor(['sk-secret-1']);
    const outcome = await runIn(
      tool('t', () => 'a\ud800 sk-secret-1'),
      never,
      { redact },
    );
    expect(outcome.content).toBe('a\ufffd [redacted]');
  });
});

it('two tools may not share a name, and the error says which', () => {
  const twins = (): unknown => boxWith({ tools: [tool('a'), tool('twin'), tool('twin')] });
  expect(twins).toThrow(TypeError);
  expect(twins).toThrow(/twin/);
});
