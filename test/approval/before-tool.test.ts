import { describe, expect, it } from 'vitest';
import { createBeforeTool, type BeforeTool } from '../../src/approval/before-tool.ts';
import type { Judgement } from '../../src/ports.ts';
import { createRedactor } from '../../src/text/redact.ts';

const never = new AbortController().signal;

interface Row {
  readonly says: unknown;
  readonly verdict: 'allow' | 'ask';
  readonly rule: string | null;
  readonly approveAll?: boolean;
  readonly becomes: readonly [verdict: string, rule: string | null];
}

const ask = async (
  hook: unknown,
  { verdict, rule, approveAll = false }: Pick<Row, 'verdict' | 'rule' | 'approveAll'>,
  signal = never,
  sleep = (_: number, until: AbortSignal) =>
    new Promise<void>((resolve) => {
      until.addEventListener('abort', () => resolve(), { once: true });
    }),
) => {
  const judgement: Judgement = { verdict, effects: 'some', refusal: null, rule };
  const port = createBeforeTool(hook as BeforeTool, {
    approveAll,
    clock: { sleep },
    refusal: (tool, reason) => `${tool} no: ${reason}`,
    redact: createRedactor(['secret-123']),
  });
  return port(
    { id: 'a', name: 't', input: { verdict: 'allow' }, effects: 'some', verdict, rule },
    judgement,
    signal,
  );
};

describe('beforeTool', () => {
  it.each<Row>([
    { says: undefined, verdict: 'ask', rule: null, becomes: ['ask', null] },
    { says: 'deny', verdict: 'allow', rule: 'allow t', becomes: ['deny', 'beforeTool'] },
    { says: 'deny', verdict: 'allow', rule: 'approveAll', approveAll: true, becomes: ['deny', 'beforeTool'] },
    { says: { verdict: 'deny' }, verdict: 'ask', rule: 'ask t', becomes: ['deny', 'beforeTool'] },
    { says: 'ask', verdict: 'allow', rule: 'allow t', becomes: ['ask', 'beforeTool'] },
    { says: 'ask', verdict: 'allow', rule: null, becomes: ['ask', 'beforeTool'] },
    { says: 'ask', verdict: 'ask', rule: null, becomes: ['ask', 'beforeTool'] },
    { says: 'ask', verdict: 'ask', rule: 'ask t', becomes: ['ask', 'ask t'] },
    { says: 'ask', verdict: 'allow', rule: 'allow t', approveAll: true, becomes: ['allow', 'approveAll'] },
    { says: 'allow', verdict: 'ask', rule: null, becomes: ['allow', 'beforeTool'] },
    { says: 'allow', verdict: 'ask', rule: 'ask t', becomes: ['ask', 'ask t'] },
    { says: 'allow', verdict: 'allow', rule: 'allow t', becomes: ['allow', 'allow t'] },
    { says: { verdict: 'allow', reason: 'x' }, verdict: 'ask', rule: null, becomes: ['allow', 'beforeTool'] },
  ])('says $says of $verdict by $rule, which becomes $becomes', async ({ says, becomes, ...before }) => {
    const { verdict, rule } = await ask(() => says, before);
    expect([verdict, rule]).toEqual(becomes);
    expect(await ask(async () => says, before)).toMatchObject({ verdict, rule });
  });

  it.each<[string, unknown, RegExp]>([
    ['null', () => null, /no verdict/],
    ['true', () => true, /no verdict/],
    ['another word', () => 'approve', /no verdict/],
    ['an odd object', () => ({ verdict: ['allow'] }), /no verdict/],
    ['a decision', () => ({ decision: 'approve' }), /no verdict/],
    ['the input of the call', ({ input }: { readonly input: unknown }) => input, /no verdict/],
    [
      'an error',
      () => {
        throw new Error('secret-123 \u001b[2J');
      },
      /failed: \[redacted\] \\u\{1b\}/,
    ],
    ['a rejection without a text', () => Promise.reject(Object.create(null)), /no reason was given/],
  ])('that gives %s denies, and says so', async (_, hook, says) => {
    const judgement = await ask(hook, { verdict: 'allow', rule: 'allow t' });
    expect(judgement).toMatchObject({
      verdict: 'deny',
      rule: 'beforeTool',
      refusal: expect.stringMatching(says),
    });
  });

  it('that is late denies, and its signal fires', async () => {
    let seen: AbortSignal | undefined;
    const hook: BeforeTool = (_, signal) => {
      seen = signal;
      return new Promise(() => undefined);
    };
    const late = await ask(hook, { verdict: 'allow', rule: null }, never, async () => undefined);
    expect(late).toMatchObject({ verdict: 'deny', refusal: expect.stringContaining('within 10 s') });
    expect(seen?.aborted).toBe(true);
  });

  it('is not waited for when the run is stopped', async () => {
    const stop = new AbortController();
    const judged = ask(() => new Promise(() => undefined), { verdict: 'allow', rule: null }, stop.signal);
    stop.abort();
    expect(await judged).toMatchObject({ verdict: 'deny', refusal: expect.stringContaining('was stopped') });
  });

  it('tells the model its reason, masked', async () => {
    const judgement = await ask(() => ({ verdict: 'deny', reason: 'not with secret-123' }), {
      verdict: 'ask',
      rule: null,
    });
    expect(judgement.refusal).toBe('t no: not with [redacted]');
  });
});
