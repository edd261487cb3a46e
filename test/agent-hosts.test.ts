/** What a host hands over is checked before anything is sent, and what it throws is masked. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createAgent,
  defineTool,
  memoryJournal,
  priceOf,
  UserError,
  type AgentOptions,
  type Model,
  type Price,
} from '../src/index.ts';
import { scripted } from '../src/testing/index.ts';
import { instructive } from '../src/tools/texts.ts';

const SECRET = 'hunter2-hunter2';
const redact = (text: string): string => text.replaceAll(SECRET, '[redacted]');

const echo = defineTool({
  name: 'echo',
  description: 'Says it again, or half of it: \ud800.',
  input: z.strictObject({ text: z.string().describe('half \udfff') }),
  effects: 'some',
  run: ({ text }) => text,
});

const model = (): Model =>
  scripted([{ call: [{ tool: 'echo', input: { text: 'hello' } }] }, { say: '{{last_result}}' }]);

const agentWith = (options: Partial<AgentOptions>) =>
  createAgent({ model: model(), tools: [echo], redact, ...options });

const fails = () => {
  throw new Error(`GET https://u:${SECRET}@host failed`);
};

describe('a secret in what a host throws reaches nobody', () => {
  it.each<{ what: string; options: Partial<AgentOptions> }>([
    { what: 'an approve function', options: { approve: fails } },
    { what: 'an approver', options: { approve: { decide: async () => fails() } } },
    { what: 'an approver that throws at once', options: { approve: { decide: fails } } },
    { what: 'a model', options: { model: { ...model(), send: fails } } },
  ])('by $what', async ({ options }) => {
    const journal = memoryJournal();
    const result = await agentWith({ ...options, journal }).start('Say hello.').result;
    const told = JSON.stringify([result, journal.lines]);
    expect(told).toContain('https://u:[redacted]@host failed');
    expect(told).not.toContain(SECRET);
  });
});

describe('an agent', () => {
  const card: Price = priceOf('claude-haiku-5-5') ?? fails();

  it.each<{ what: string; price: unknown }>([
    { what: 'lacks a field', price: { input: 1, output: 5 } },
    { what: 'is below nothing', price: { ...card, input: -1 } },
    { what: 'is no number', price: { ...card, output: NaN } },
    {
      what: 'lacks a field beyond its threshold',
      price: { ...card, above: { promptTokens: 1, price: { input: 1 } } },
    },
  ])('refuses a price that $what: a budget could not be kept', ({ price }) => {
    const priced = { ...model(), price: price as Price };
    expect(() => agentWith({ model: priced })).toThrow(UserError);
  });

  it('refuses a text for the summary that no budget keeps enough for', () => {
    const texts = { ...instructive, summary: () => 'x'.repeat(801) };
    expect(() => agentWith({ texts })).toThrow(/texts\.summary\('max_turns'\) has 801 bytes/);
    expect(() => agentWith({ texts: { ...texts, summary: () => 'x'.repeat(800) } })).not.toThrow();
  });

  it('refuses a second run in its journal: the file would be none', () => {
    const agent = agentWith({ journal: memoryJournal() });
    agent.start('one');
    expect(() => agent.start('two')).toThrow(UserError);
  });

  it('sends the texts of its tools as well-formed Unicode', async () => {
    const journal = memoryJournal();
    await agentWith({ journal, approveAll: true }).start('Say hello.').result;
    expect(JSON.stringify(journal.lines)).not.toMatch(/\\ud[89a-f]/i);
    expect(JSON.stringify(journal.lines)).toContain('half \ufffd');
  });

  it('hears in the end what was said when its answer came', async () => {
    const run = agentWith({ approveAll: true }).start('Say hello.');
    for await (const event of run) if (event.type === 'model.answered') run.interject('Thanks.');
    expect(await run.result).toMatchObject({ unread: ['Thanks.'] });
  });
});
