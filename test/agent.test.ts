import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import {
  createAgent,
  createRedactor,
  defineTool,
  memoryJournal,
  UserError,
  type AgentOptions,
} from '../src/index.ts';
import { startStrictServer, says as reply, toolUse, scripted } from '../src/testing/index.ts';
import { anthropic } from '../src/model/anthropic.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.strictObject({ text: z.string() }),
  effects: 'some',
  run: ({ text }) => text,
});

const calls = (text: string) => ({ call: [{ tool: 'echo', input: { text } }] });

const agentWith = (options: Partial<AgentOptions> = {}) =>
  createAgent({
    model: scripted([calls('hello'), { say: 'It said: {{last_result}}' }]),
    tools: [echo],
    ...options,
  });

describe('an agent', () => {
  it('answers, and denies what nobody can approve', async () => {
    expect(await agentWith({ approveAll: true }).start('Say hello.').result).toMatchObject({
      answer: 'It said: hello',
    });
    expect(await agentWith().start('Say hello.').result).toMatchObject({
      reason: 'end_turn',
      answer: expect.stringContaining('no way to ask'),
    });
  });

  it('asks the function of its host', async () => {
    const asked: string[] = [];
    const agent = agentWith({
      approve: async (call) => {
        asked.push(call.name);
        return { decision: 'approve' };
      },
    });
    expect(await agent.start('Say hello.').result).toMatchObject({ answer: 'It said: hello' });
    expect(asked).toEqual(['echo']);
  });

  it('tells that function what a call would change, where the tool can tell', async () => {
    const told: unknown[] = [];
    const approve: AgentOptions['approve'] = async (call, _, preview) => {
      told.push(await preview(call.input), await preview({ text: 'other' }));
      return { decision: 'approve' };
    };
    const telling = { ...echo, preview: async (input: unknown) => `+${JSON.stringify(input)}` };
    await agentWith({ approve, tools: [telling] }).start('Say hello.').result;
    await agentWith({ approve }).start('Say hello.').result;
    expect(told).toEqual(['+{"text":"hello"}', '+{"text":"other"}', null, null]);
  });

  it('can be started more than once; each run has an id and a journal of its own', async () => {
    const agent = agentWith({ approveAll: true });
    const [one, two] = [agent.start('a'), agent.start('b')];
    expect(one.id).toMatch(/^[2-9b-z]{8}$/);
    expect(one.id).not.toBe(two.id);
    expect(await Promise.all([one.result, two.result])).toMatchObject([{ runId: one.id }, { runId: two.id }]);
  });

  it('gives its facts to every listener, in order, also to one that comes late', async () => {
    const run = agentWith({ approveAll: true }).start('Say hello.');
    const early: string[] = [];
    for await (const event of run) early.push(event.type);
    const late: string[] = [];
    for await (const event of run) late.push(event.type);
    expect(early.filter((type) => !type.endsWith('.delta'))).toEqual(late);
    expect(late).toEqual(['model.called_tools', 'tool.started', 'tool.finished', 'model.answered']);
    expect(early).toContain('text.delta');
  });

  it.each([
    { what: 'the environment', options: {}, answer: 'It said: see [redacted] and mine-only-1' },
    {
      what: 'its option instead',
      options: { redact: createRedactor(['mine-only-1']) },
      answer: 'It said: see sk-of-the-test and [redacted]',
    },
  ])('masks the secrets of $what', async ({ options, answer }) => {
    vi.stubEnv('TEST_API_KEY', 'sk-of-the-test');
    onTestFinished(() => void vi.unstubAllEnvs());
    const model = scripted([
      calls('see sk-of-the-test and mine-only-1'),
      { say: 'It said: {{last_result}}' },
    ]);
    expect(await agentWith({ model, approveAll: true, ...options }).start('Say it.').result).toMatchObject({
      answer,
    });
  });

  it('withholds what its mask fails at, and goes on (A02)', async () => {
    const redact = (text: string): string => {
      if (text.includes('mine-only-1')) throw new Error(`cannot mask ${text}`);
      return text;
    };
    const model = scripted([
      {
        call: ['see mine-only-1', 'see b', 'mine-only-1 too'].map((text) => ({
          tool: 'echo',
          input: { text },
        })),
      },
      { call: [{ tool: 'mine-only-1', input: {} }] },
      { say: 'Done.' },
    ]);
    const journal = memoryJournal();
    const run = agentWith({ model, journal, approveAll: true, redact }).start('Say it.');
    expect(await run.result).toMatchObject({ reason: 'end_turn', turns: 3 });
    const results = journal.lines.flatMap((line) => (line.type === 'tool.finished' ? [line.outcome] : []));
    expect(results).toMatchObject([
      { kind: 'failed', content: expect.stringContaining('withheld') },
      { kind: 'succeeded', content: 'see b' },
      { kind: 'failed', content: expect.stringContaining('withheld') },
      { kind: 'failed', content: expect.stringContaining('withheld') },
    ]);
  });

  it('gives tools the ids of run and call', async () => {
    const seen: string[] = [];
    const ids = defineTool({
      name: 'echo',
      description: '',
      input: z.looseObject({}),
      effects: 'none',
      run: (_, { runId, callId }) => {
        seen.push(runId, callId);
        return 'ok';
      },
    });
    const journal = memoryJournal();
    const run = agentWith({ tools: [ids], journal }).start('Say hello.');
    await run.result;
    const started = journal.lines.find((line) => line.type === 'tool.started');
    expect(seen).toEqual([run.id, started?.callId]);
  });

  it('G14: goes on when a listener breaks off or throws', async () => {
    const run = agentWith({ approveAll: true }).start('Say hello.');
    const listener = (async () => {
      for await (const event of run) throw new Error(`broken at ${event.type}`);
    })();
    await expect(listener).rejects.toThrow('broken');
    expect(await run.result).toMatchObject({ reason: 'end_turn' });
  });

  it('G15: rejects once when its journal cannot be written, and nothing is left unhandled', async () => {
    const run = agentWith({ journal: { append: () => Promise.reject(new Error('ENOSPC')) } }).start(
      'Say hello.',
    );
    const seen: string[] = [];
    for await (const event of run) seen.push(event.type);
    expect(seen).toEqual([]);
    await expect(run.result).rejects.toThrow('ENOSPC');
  });

  it('E17: gives a call its whole time after the approval, however long that took', async () => {
    const slow = defineTool({
      name: 'echo',
      description: '',
      input: z.looseObject({}),
      effects: 'some',
      timeoutMs: 200,
      run: () => 'in time',
    });
    const agent = agentWith({
      tools: [slow],
      limits: { timeoutMs: 300 },
      approve: async () => {
        await new Promise((resolve) => setTimeout(resolve, 500));
        return { decision: 'approve' };
      },
    });
    expect(await agent.start('Say hello.').result).toMatchObject({ answer: 'It said: in time' });
  });

  it('stops when it is told to', async () => {
    const agent = agentWith({ model: scripted([{ say: 'slow words' }], { delayMs: 10_000 }) });
    const run = agent.start('Say hello.');
    run.abort('the test');
    expect(await run.result).toMatchObject({ reason: 'aborted' });
  });

  it('hears what is said while it works, but not nothing', async () => {
    const journal = memoryJournal();
    const run = agentWith({ approveAll: true, journal }).start('Say hello.');
    run.interject(' ');
    run.interject('And bye.');
    await run.result;
    expect(journal.lines.filter(({ type }) => type === 'user.interjected')).toHaveLength(1);
  });

  it('C15: counts the same with and without a listener', async () => {
    const server = await startStrictServer({
      respond: ({ index }) => (index % 2 === 0 ? reply(toolUse('echo', { text: 'a' })) : reply('Done.')),
    });
    const model = anthropic('claude-haiku-5-5', { baseURL: server.url, apiKey: 'k' });
    const agent = agentWith({ model, approveAll: true });
    const alone = await agent.start('Say it.').result;
    const run = agent.start('Say it.');
    for await (const _ of run) void 0;
    const watched = await run.result;
    await server.close();
    const spend = (result: typeof alone) =>
      result.state === 'stopped' ? [result.usage, result.costUsd] : [];
    expect(spend(watched)).toEqual(spend(alone));
    expect(spend(alone)[1]).toBeGreaterThan(0);
  });

  it('B06: keeps its turn limit', async () => {
    const turns = Array.from({ length: 9 }, (_, n) => calls(String(n)));
    const agent = agentWith({
      model: scripted([...turns, { when: 'summary', say: 'Enough.' }]),
      approveAll: true,
      limits: { maxTurns: 3 },
    });
    expect(await agent.start('Go on.').result).toMatchObject({
      reason: 'max_turns',
      turns: 3,
      answer: 'Enough.',
    });
  });
});

describe('wrong options', () => {
  it.each([
    ['an unknown one (B07)', { maxTurn: 3 }, /maxTurn/],
    ['an unknown limit', { limits: { turns: 3 } }, /turns/],
    ['no turns', { limits: { maxTurns: 0 } }, /maxTurns/],
    ['half a turn', { limits: { maxTurns: 1.5 } }, /maxTurns/],
    ['no number', { limits: { maxTurns: Number.NaN } }, /maxTurns/],
    ['a word for a number', { limits: { maxTurns: '3' } }, /maxTurns/],
    ['no budget at all', { limits: { maxUsd: 0 } }, /maxUsd/],
    ['a rule with an unknown verdict', { rules: [{ tool: 'a', verdict: 'maybe' }] }, /verdict/],
    ['an unknown way at the limit', { onLimit: 'panic' }, /onLimit/],
    [
      'a rule for a tool that is not there',
      { rules: [{ tool: 'ech', verdict: 'deny' }] },
      /no tool ech\..*: echo/,
    ],
    ['two tools of one name', { tools: [echo, { ...echo }] }, /Two tools.*echo/],
    ['a folder that is not there', { workdir: './gone' }, /workdir.*gone is not there/],
    ['a folder that is a file', { workdir: 'package.json' }, /workdir.*package.json is no folder/],
    ['a blank folder', { workdir: '' }, /workdir/],
  ])('%s: a UserError names it', (_, options, named) => {
    // What JavaScript would let through.
    expect(() => agentWith(options as Partial<AgentOptions>)).toThrow(UserError);
    expect(() => agentWith(options as Partial<AgentOptions>)).toThrow(named);
  });

  it('a blank task (A08), and a budget in USD for a model without a price', () => {
    expect(() => agentWith().start(' \n')).toThrow(UserError);
    const model = scripted([{ say: 'x' }], { id: 'own-model' });
    expect(() => agentWith({ model, limits: { maxUsd: 1 } }).start('Go.')).toThrow(/price of own-model/);
    // Flags mean nothing to a host.
    expect(() => agentWith({ model, limits: { maxUsd: 1 } }).start('Go.')).not.toThrow(/--/);
  });
});
