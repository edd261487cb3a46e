import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from '../../src/agent-options.ts';
import type { ResumeOptions } from '../../src/agent-resume.ts';
import { createAgent } from '../../src/agent.ts';
import { UserError } from '../../src/errors.ts';
import { memoryJournal } from '../../src/journal/memory.ts';
import { scripted } from '../../src/model/scripted.ts';
import type { JournalLine, RunResult } from '../../src/ports.ts';
import { lastHeader } from '../../src/stored-run.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { verifyJournal } from '../../src/verify/index.ts';

const call = (text: string) => ({ call: [{ tool: 'note', input: { text } }] });

/** A tool whose effect can be counted. */
function noteTool(description = 'Keeps a note.') {
  const notes: string[] = [];
  const tool = defineTool({
    name: 'note',
    description,
    input: z.strictObject({ text: z.string() }),
    effects: 'some',
    run: ({ text }) => {
      notes.push(text);
      return `kept: ${text}`;
    },
  });
  return { tool, notes };
}

/** A script is of the whole run; what was said before is not said again. */
const EARLIER = { say: 'not asked any more' };

type Script = Parameters<typeof scripted>[0];

/** Runs a task. @returns its journal, as a file would have it */
async function begin(script: Script, options: Partial<AgentOptions> = {}): Promise<readonly JournalLine[]> {
  const journal = memoryJournal();
  const { tool } = noteTool();
  await createAgent({ model: scripted(script), tools: [tool], journal, ...options }).start('Take notes.')
    .result;
  return stored(journal.lines);
}

const stored = (lines: readonly JournalLine[]) => JSON.parse(JSON.stringify(lines)) as readonly JournalLine[];

interface GoneOn {
  readonly result: RunResult;
  readonly notes: readonly string[];
  /** All lines, the old ones included. */
  readonly lines: readonly JournalLine[];
}

async function goOn(
  lines: readonly JournalLine[],
  script: Script,
  request: ResumeOptions = {},
  options: Partial<AgentOptions> = {},
): Promise<GoneOn> {
  const journal = memoryJournal();
  const { tool, notes } = noteTool();
  const agent = createAgent({ model: scripted(script), tools: [tool], journal, ...options });
  const result = await agent.resume(lines, request).result;
  const all = [...lines, ...stored(journal.lines)];
  expect(verifyJournal(all)).toEqual([]);
  return { result, notes, lines: all };
}

const until = (lines: readonly JournalLine[], type: JournalLine['type']): readonly JournalLine[] =>
  lines.slice(0, lines.findIndex((line) => line.type === type) + 1);

const waiting = () => begin([call('a'), { say: 'Done.' }], { approve: () => ({ decision: 'wait' }) });

const approving: Partial<AgentOptions> = { approve: () => ({ decision: 'approve' }) };

describe('a run goes on', () => {
  it('after its answer, with a message', async () => {
    const lines = await begin([{ say: 'The mean is 80.' }]);
    const { result } = await goOn(lines, [EARLIER, { say: 'The median is 81.' }], {
      message: 'And the median?',
    });
    expect(result).toMatchObject({ reason: 'end_turn', answer: 'The median is 81.', turns: 2, unread: [] });
  });

  it('after the turn limit, with more turns; the turns and the money of before count', async () => {
    const lines = await begin([call('a'), call('b')], {
      approveAll: true,
      limits: { maxTurns: 1 },
      onLimit: 'stop',
    });
    const { result } = await goOn(lines, [EARLIER, { say: 'Done.' }], { limits: { maxTurns: 3 } });
    expect(result).toMatchObject({ reason: 'end_turn', answer: 'Done.', turns: 2 });
  });

  it('in the folder, and confined, as its last resumption said', async () => {
    const folders = await Promise.all(
      ['a', 'b'].map((name) => mkdtemp(join(tmpdir(), `turnstile-${name}-`))),
    );
    onTestFinished(
      async () => void (await Promise.all(folders.map((folder) => rm(folder, { recursive: true })))),
    );
    const [before = '', after = ''] = folders;
    const confinement = { sandbox: 'landlock', workdir: 'rw', network: false, instead: null } as const;
    const tools = [{ ...noteTool().tool, confinement }];
    const lines = await begin([{ say: 'One.' }], { workdir: before });
    const { lines: moved } = await goOn(
      lines,
      [EARLIER, { say: 'Two.' }],
      { message: 'More.' },
      { workdir: after, tools },
    );
    const { lines: stayed } = await goOn(moved, [EARLIER, EARLIER, { say: 'Three.' }], { message: 'More.' });
    expect(lastHeader(lines)).toMatchObject({ workdir: before, confinements: {} });
    expect(lastHeader(moved)).toMatchObject({ workdir: after, confinements: { note: confinement } });
    expect(lastHeader(stayed)).toMatchObject({ workdir: after, confinements: {} });
  });

  it('where it waits for a person, whose answer comes to another process', async () => {
    const { result, notes } = await goOn(await waiting(), [EARLIER, { say: 'Done.' }], {}, approving);
    expect({ result, notes }).toMatchObject({ result: { answer: 'Done.', turns: 2 }, notes: ['a'] });
  });

  it('with a decision that was recorded, and the call not begun', async () => {
    const lines = await begin([call('a'), { say: 'Done.' }], approving);
    const { notes, result } = await goOn(until(lines, 'approval.decided'), [EARLIER, { say: 'Done.' }]);
    expect({ notes, result }).toMatchObject({ notes: ['a'], result: { answer: 'Done.' } });
  });

  it('behind a call that had begun: it is not run again, and the model is told', async () => {
    const lines = await begin([call('a'), { say: 'Done.' }], approving);
    const { notes, lines: all } = await goOn(until(lines, 'tool.started'), [EARLIER, { say: 'Looked.' }]);
    expect(notes).toEqual([]);
    expect(all.find((line) => line.type === 'tool.finished')).toMatchObject({
      outcome: { kind: 'interrupted', content: expect.stringMatching(/may or may not|unknown|check/i) },
    });
  });

  it('from a lost request: the turn is asked again, and the most that it can have cost counts', async () => {
    const lines = await begin([{ say: 'Done.' }]);
    const { result, lines: all } = await goOn(lines.slice(0, 1), [{ say: 'Done.' }]);
    expect(result).toMatchObject({ reason: 'end_turn', turns: 1, isUsageIncomplete: true });
    expect(all[1]).toMatchObject({ type: 'run.resumed', abortedRequest: 'turn', billing: 'unknown' });
  });

  it('by its last line alone, where only that is missing', async () => {
    const lines = await begin([{ say: 'Done.' }]);
    const { lines: all } = await goOn(lines.slice(0, -1), [EARLIER]);
    const { at: _, ...end } = lines.at(-1) ?? { at: '' };
    expect(all).toEqual([...lines.slice(0, -1), { ...end, at: expect.any(String) }]);
  });

  it('and again, and again', async () => {
    let lines = await begin([{ say: '0' }]);
    for (const answer of ['1', '2', '3']) {
      const script = [...Array.from({ length: Number(answer) }, () => EARLIER), { say: answer }];
      const gone = await goOn(lines, script, { message: 'Next?' });
      expect(gone.result).toMatchObject({ answer, turns: Number(answer) + 1 });
      ({ lines } = gone);
    }
  });
});

describe('the rules of a run that goes on', () => {
  const allow = { rules: [{ tool: 'note', verdict: 'allow' }] } as const;

  it.each([
    { name: 'hold when nothing is said', given: {}, notes: ['b'] },
    {
      name: 'give way to those that are given',
      given: { rules: [{ tool: 'note', verdict: 'deny' }] },
      notes: [],
    },
    {
      name: 'stand beside those about other calls',
      given: { rules: [{ tool: '*', verdict: 'deny' }] },
      notes: [],
    },
    {
      name: 'stay where an allow is about other calls',
      earlier: { rules: [{ tool: 'note', verdict: 'deny', match: { argument: 'text', contains: 'b' } }] },
      given: { rules: [{ tool: 'note', verdict: 'allow' }] },
      notes: [],
    },
    {
      name: 'are loosened by saying the same rule otherwise',
      earlier: { rules: [{ tool: 'note', verdict: 'deny', match: { argument: 'text', contains: 'b' } }] },
      given: {
        rules: [{ tool: 'note', verdict: 'allow', match: { argument: 'text', contains: 'b' } }],
      },
      notes: ['b'],
    },
    { name: 'allow nothing when others could have written them', given: {}, trusted: false, notes: [] },
  ] as const)('$name', async ({ given, notes, ...row }) => {
    const lines = await begin([{ say: 'Ready.' }], 'earlier' in row ? row.earlier : allow);
    const isTrusted = !('trusted' in row);
    const gone = await goOn(
      lines,
      [EARLIER, call('b'), { say: 'Done.' }],
      { message: 'Go.', isTrusted },
      given,
    );
    expect(gone.notes).toEqual(notes);
  });

  it('do not bring back an approval that others could have written', async () => {
    const lines = until(await begin([call('a'), { say: 'Done.' }], approving), 'approval.decided');
    expect((await goOn(lines, [EARLIER, { say: 'Done.' }], { isTrusted: false })).notes).toEqual([]);
    expect((await goOn(lines, [EARLIER, { say: 'Done.' }])).notes).toEqual(['a']);
  });
});

describe('a run does not go on', () => {
  const answered = () => begin([{ say: 'Done.' }]);
  const { tool: other } = noteTool('Does something else.');
  it.each<[string, () => Promise<readonly JournalLine[]>, ResumeOptions, Partial<AgentOptions>, RegExp]>([
    ['after its answer, without a message', answered, {}, {}, /a message is needed/],
    ['with a blank message', answered, { message: ' ' }, {}, /message is blank/],
    ['with other tools', waiting, {}, { tools: [] }, /Then: note\. Now: none/],
    ['with a tool that has changed', waiting, {}, { tools: [other] }, /tool note is not what it was/],
    ['with another system text', waiting, {}, { system: 'Be rude.' }, /system text is not the one/],
    [
      'without room for a turn',
      answered,
      { message: 'x', limits: { maxTurns: 1 } },
      {},
      /--max-turns 2 or more/,
    ],
    [
      'without tokens for a turn',
      answered,
      { message: 'x', limits: { tokenBudget: 1 } },
      {},
      /Raise the limit: --token-budget \d+ or more/,
    ],
    [
      'with a budget in USD and no price',
      answered,
      { message: 'x', limits: { maxUsd: 1 } },
      {},
      /price of scripted is not known/,
    ],
    ['with a limit that is none', answered, { limits: { maxTurns: 0 } }, {}, /options of resume are wrong/],
    ['without a header', async () => (await answered()).slice(1), {}, {}, /no header/],
    [
      'from a fact that cannot be',
      async () => (await answered()).toSpliced(1, 0, { type: 'retry.due', at: new Date().toISOString() }),
      {},
      {},
      /Line 2 of the journal cannot be/,
    ],
    [
      'from a line that is none',
      async () => stored([...(await answered()), { type: 'run.aborted' } as JournalLine]),
      {},
      {},
      /Line 4 of the journal cannot be/,
    ],
  ])('%s: nothing is recorded or sent', async (_, linesOf, request, options, message) => {
    const journal = memoryJournal();
    const { tool } = noteTool();
    const agent = createAgent({ model: scripted([EARLIER]), tools: [tool], journal, ...options });
    const lines = await linesOf();
    expect(() => agent.resume(lines, request)).toThrow(message);
    expect(() => agent.resume(lines, request)).toThrow(UserError);
    expect(journal.lines).toEqual([]);
  });
});
