/** The messages of the last request of a run, whole. */
import { describe, expect, it } from 'vitest';
import { textOf } from '../../src/history/blocks.ts';
import { historyOf } from '../../src/history/history.ts';
import { Inbox } from '../../src/inbox.ts';
import type { ContentBlock, Message } from '../../src/ports.ts';
import { stoppedClock } from '../support/clocks.ts';
import { play, replies, text, toolUse, type Turn, type World } from '../support/world.ts';

const user = (...content: readonly ContentBlock[]): Message => ({ role: 'user', content });
const model = (...content: readonly ContentBlock[]): Message => ({ role: 'assistant', content });
const result = (id: string, content = `result of ${id}`): ContentBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
const answers = () => replies([text('Done.')]);
const reads = (id: string) => replies([toolUse(id)]);

/** Something is said while this turn is asked for. */
const saying =
  (inbox: Inbox, words: string, turn: ReturnType<typeof replies>): Turn =>
  async () => {
    inbox.put({ kind: 'interjection', text: words });
    await new Promise((resolve) => setImmediate(resolve));
    return turn;
  };

const inbox = () => new Inbox();

interface Row {
  readonly what: string;
  readonly world: (inbox: Inbox) => World;
  readonly messages: readonly Message[];
}

const TASK = text('Do it.');

const ROWS: readonly Row[] = [
  { what: 'the task', world: () => ({ turns: [answers()] }), messages: [user(TASK)] },
  {
    what: 'an answer that words have made to go on, and the words',
    world: (box) => ({ turns: [saying(box, 'one', answers()), answers()] }),
    messages: [user(TASK), model(text('Done.')), user(text('one'))],
  },
  {
    what: 'words behind the results, each once',
    world: (box) => ({
      turns: [saying(box, 'one', reads('a')), saying(box, 'two', reads('b')), answers()],
    }),
    messages: [
      user(TASK),
      model(toolUse('a')),
      user(result('a'), text('one')),
      model(toolUse('b')),
      user(result('b'), text('two')),
    ],
  },
  {
    what: 'the instruction of a summary behind the words',
    world: (box) => ({ turns: [saying(box, 'one', reads('a')), answers()], limits: { maxTurns: 2 } }),
    messages: [user(TASK), model(toolUse('a')), user(result('a'), text('one'), text('Sum up (max_turns).'))],
  },
  {
    what: 'a pause with nothing behind it, though something was said',
    world: (box) => ({
      turns: [saying(box, 'one', replies([text('so far')], 'pause_turn')), answers(), answers()],
    }),
    messages: [user(TASK), model(text('so far')), model(text('Done.')), user(text('one'))],
  },
  {
    what: 'words in the place of an answer that was empty, and what came after',
    world: (box) => ({ turns: [saying(box, 'one', replies([])), saying(box, 'two', answers()), answers()] }),
    messages: [user(TASK, text('one')), model(text('Done.')), user(text('two'))],
  },
  {
    what: 'a result that is blank, as one that says so',
    world: () => ({
      turns: [replies([toolUse('a'), toolUse('b')]), answers()],
      box: { run: async ({ id }) => ({ kind: 'succeeded', content: id === 'a' ? '' : ' \n' }) },
    }),
    messages: [
      user(TASK),
      model(toolUse('a'), toolUse('b')),
      user(result('a', '(no output)'), result('b', '(no output)')),
    ],
  },
];

describe('the last request holds', () => {
  it.each(ROWS)('$what', async ({ world, messages }) => {
    const box = inbox();
    const { requests } = await play({ inbox: box, ...world(box) });
    expect(requests.at(-1)?.messages).toEqual(messages);
  });
});

describe('the history of a run that has ended', () => {
  it('has the instruction of its summary, and the summary', async () => {
    const { lines, facts } = await play({ turns: [reads('a'), answers()], limits: { maxTurns: 2 } });
    const [header] = lines;
    if (header?.type !== 'run.started') throw new Error('No header.');
    expect(historyOf(header, facts)).toMatchObject({
      messages: [
        user(TASK),
        model(toolUse('a')),
        user(result('a'), text('Sum up (max_turns).')),
        model(text('Done.')),
      ],
      isPaused: false,
      openCalls: 0,
      results: [],
    });
  });

  it('has a response that was cut off for good, and the results of its calls', async () => {
    const { lines, facts } = await play({
      turns: [replies([text('Half'), toolUse('a')], 'max_tokens')],
      limits: { maxGrowths: 0 },
    });
    const [header] = lines;
    if (header?.type !== 'run.started') throw new Error('No header.');
    expect(historyOf(header, facts).messages).toMatchObject([
      user(TASK),
      model(text('Half'), toolUse('a')),
      { role: 'user', content: [{ tool_use_id: 'a', is_error: true }] },
    ]);
  });

  it('holds results back until the last of a batch is there', async () => {
    const box = inbox();
    const { lines, facts } = await play({
      inbox: box,
      clock: stoppedClock,
      turns: [replies([toolUse('a'), toolUse('b')]), answers()],
    });
    const [header] = lines;
    if (header?.type !== 'run.started') throw new Error('No header.');
    const first = facts.findIndex(({ type }) => type === 'tool.finished');
    const half = historyOf(header, facts.slice(0, first + 1));
    expect(half).toMatchObject({ messages: [user(TASK), model(toolUse('a'), toolUse('b'))], openCalls: 1 });
    expect(half.results).toEqual([result('a')]);
  });
});

describe('the text of a response', () => {
  it.each<readonly [what: string, content: readonly ContentBlock[], expected: string]>([
    ['nothing', [], ''],
    ['neighbours are one text', [text('a'), text('b')], 'ab'],
    ['a blank one between them is none', [text('a'), text(''), text('b')], 'a\n\nb'],
    ['others are paragraphs apart', [text('a'), toolUse('x'), text('b')], 'a\n\nb'],
    ['what comes first begins it', [toolUse('x'), text('a')], 'a'],
    ['blanks around it are left out', [text(' \n'), text('a '), text(' ')], 'a'],
    ['a block of another type with a text is none', [{ type: 'thinking', text: 'odd' }, text('a')], 'a'],
    ['a text that is none is left out', [{ type: 'text', text: 7 }, text('a')], 'a'],
  ])('%s', (_, content, expected) => {
    expect(textOf(content)).toBe(expected);
  });
});
