import { describe, expect, it } from 'vitest';
import { parseScript, type ScriptInput } from '../../src/model/parse-script.ts';
import { createScript } from '../../src/model/script.ts';
import type { ContentBlock, Message, ModelRequest } from '../../src/ports.ts';

const answer = (...content: readonly ContentBlock[]): Message => ({ role: 'assistant', content });
const result = (content: unknown, isError = false): ContentBlock => ({
  type: 'tool_result',
  tool_use_id: 'x',
  content,
  ...(isError && { is_error: true }),
});
const results = (...content: readonly ContentBlock[]): Message => ({ role: 'user', content });

const requestWith = (messages: readonly Message[], isToolless = false): ModelRequest => ({
  model: 'm',
  max_tokens: 1_000,
  ...(isToolless && { tool_choice: { type: 'none' } }),
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What is the mean?' }] }, ...messages],
});

const play = (turns: ScriptInput, ...args: Parameters<typeof requestWith>) =>
  createScript(parseScript(turns, 'test.json'))(requestWith(...args));

const say = (text: string, ...messages: readonly Message[]) => {
  const reply = play([[{ say: text }], { say: text }, { say: text }], messages);
  return reply.kind === 'message' ? reply.content[0]?.['text'] : reply.message;
};

const csv = 'name,score\n"Wang, Fang",92\nBen,68\nAlice,79.5\n';
const afterResults = (...content: readonly ContentBlock[]) => [
  answer({ type: 'text', text: 'Wait.' }),
  results(...content),
];

describe('templates', () => {
  it.each([
    ['{{task}}', 'What is the mean?'],
    ['{{ last_result }}', 'two\nlines'],
    ['{{result 1}}', csv],
    ['First: {{first_line result 1}}.', 'First: name,score.'],
    ['{{last_line last_result}}', 'lines'],
    ['{{line 3 result 1}}', 'Ben,68'],
    ['{{mean result 1 column=score}}', '79.83'],
    ['{{min result 1 column=score}} to {{max result 1 column=score}}', '68 to 92'],
    ['{{sum result 1 column=score}} of {{count result 1 column=score}}', '239.5 of 3'],
    ['{{values result 1 column=score}}', '92, 68, 79.5'],
    ['no } template { at }} all', 'no } template { at }} all'],
  ])('%s gives %j', (template, expected) => {
    expect(say(template, ...afterResults(result(csv), result([{ type: 'text', text: 'two\nlines' }])))).toBe(
      expected,
    );
  });

  it('a changed file changes the answer', () => {
    const changed = csv.replace('68', '100');
    expect(say('{{mean last_result column=score}}', ...afterResults(result(changed)))).toBe('90.5');
  });

  it.each([
    ['1,2\nscore,x\n3,4\n\n(read 3 lines)', '3'],
    ['score,x\r\n3,4\r\n5,6\r\n', '4'],
    ['score,x\n3,\n,4\n', '3'],
    ['"score","x"\n"3","a ""b"" c"', '3'],
  ])('the table in %j has the mean %s', (text, mean) => {
    expect(say('{{mean last_result column=score}}', ...afterResults(result(text)))).toBe(mean);
  });

  it.each([
    ['{{result 2}}', 'there are only 1 results'],
    ['{{line 9 result 1}}', 'there is no such line'],
    ['{{mean result 1 column=points}}', 'there is no column "points"'],
    ['{{mean result 1 column=name}}', '"Wang, Fang" is no number'],
    ['{{mean task column=What is the mean?}}', 'the column "What is the mean?" is empty'],
  ])('%s fails: %s', (template, problem) => {
    const text = say(template, ...afterResults(result(csv)));
    expect(text).toBe(`The script test.json cannot go on at turn 2: ${template}: ${problem}.`);
  });

  it('stand in tool input and in thinking too, at any depth', () => {
    const reply = play(
      [{ thinking: '{{task}}', call: [{ tool: 't', input: { a: [{ b: '{{task}}' }], n: 1, none: null } }] }],
      [],
    );
    expect(reply).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'What is the mean?' },
        { type: 'tool_use', name: 't', input: { a: [{ b: 'What is the mean?' }], n: 1, none: null } },
      ],
    });
  });
});

describe('the turn that is played', () => {
  const turns: ScriptInput = [
    { say: 'Reading.', call: [{ tool: 'read_file', input: { path: 'a' } }, { tool: 'read_file' }] },
    [
      { when: 'last_result_is_error', say: 'It failed.' },
      { when: 'last_result_is_no_error', say: 'It worked.' },
    ],
    { call: [{ tool: 'read_file' }] },
    { when: 'summary', say: 'In short: {{task}}' },
  ];
  const first = answer({ type: 'text', text: 'Reading.' });
  it.each<[string, readonly Message[], boolean, string]>([
    ['the first, without history', [], false, 'Reading.'],
    ['an alternative, by an error', [first, results(result('no', true))], false, 'It failed.'],
    [
      'an alternative, by one error of two',
      [first, results(result('no', true), result('ok'))],
      false,
      'It failed.',
    ],
    ['an alternative, by results without errors', [first, results(result('ok'))], false, 'It worked.'],
    [
      'the summary, when tools are disabled',
      [first, results(result('ok'))],
      true,
      'In short: What is the mean?',
    ],
  ])('is %s', (_, messages, isToolless, text) => {
    expect(play(turns, messages, isToolless)).toMatchObject({
      kind: 'message',
      content: [{ type: 'text', text }, ...(text === 'Reading.' ? [{}, {}] : [])],
    });
  });

  it('has calls with ids of its own, and stops for them', () => {
    const reply = play(turns, []);
    expect(reply).toMatchObject({ stopReason: 'tool_use', id: 'msg_script_1' });
    expect(reply.kind === 'message' && reply.content.slice(1)).toEqual([
      { type: 'tool_use', id: 'toolu_script_1_1', name: 'read_file', input: { path: 'a' } },
      { type: 'tool_use', id: 'toolu_script_1_2', name: 'read_file', input: {} },
    ]);
  });

  it('is the same for the same request', () => {
    const script = createScript(parseScript(turns, 't'));
    expect(script(requestWith([]))).toEqual(script(requestWith([])));
  });

  it.each<[string, ScriptInput, readonly Message[], boolean, string]>([
    ['no turn is left', [{ say: 'Hi' }], [first], false, 'the end: turn 2 of the run has nothing to play'],
    [
      'no alternative fits',
      [[{ when: 'last_result_is_error', say: 'Hi' }]],
      [],
      false,
      'turn 1: no alternative fits the last results',
    ],
    [
      'it could only call disabled tools',
      [{ call: [{ tool: 't' }] }],
      [],
      true,
      'turn 1: it only calls tools, and they are disabled',
    ],
  ])('does not exist where %s', (_, script, messages, isToolless, why) => {
    const message = `The script test.json cannot go on at ${why}.`;
    expect(play(script, messages, isToolless)).toEqual({ kind: 'unplayable', message });
  });

  it.each([
    { times: undefined, failures: 1 },
    { times: 1, failures: 1 },
    { times: 3, failures: 3 },
  ])(
    'fails $failures times with times: $times; the retry after that gets the next turn',
    ({ times, failures }) => {
      const fail = { status: 529, type: 'overloaded_error', message: 'No', ...(times && { times }) };
      const script = createScript(
        parseScript([{ say: 'One.' }, { fail }, { say: 'Two.' }, { say: 'Three.' }], 't'),
      );
      const request = requestWith([first]);
      const replies = Array.from({ length: failures + 1 }, () => script(request));
      expect(replies.map(({ kind }) => kind)).toEqual([...Array(failures).fill('failed'), 'message']);
      expect(replies.at(-1)).toMatchObject({ content: [{ text: 'Two.' }] });
      expect(script(requestWith([first, first]))).toMatchObject({ content: [{ text: 'Three.' }] });
      expect(script(request)).toMatchObject({ content: [{ text: 'Two.' }] });
    },
  );

  it('without a summary, says its words and leaves out its calls when tools are disabled', () => {
    const reply = play(turns.slice(0, 1), [], true);
    expect(reply).toMatchObject({ stopReason: 'end_turn', content: [{ text: 'Reading.' }] });
    expect(reply.kind === 'message' && reply.content).toHaveLength(1);
  });

  it.each<[string, ScriptInput, object]>([
    ['a stop_reason', [{ say: 'cut', stop_reason: 'max_tokens' }], { stopReason: 'max_tokens' }],
    ['no content', [{ stop_reason: 'refusal' }], { stopReason: 'refusal', content: [] }],
    [
      'usage',
      [{ say: 'x', usage: { input_tokens: 7, output_tokens: 9 } }],
      { usage: { input_tokens: 7, output_tokens: 9 } },
    ],
    [
      'a failure',
      [{ fail: { status: 529, type: 'overloaded_error', message: 'Overloaded' } }],
      { kind: 'failed', status: 529, errorType: 'overloaded_error' },
    ],
  ])('can set %s', (_, script, expected) => {
    expect(play(script, [])).toMatchObject(expected);
  });
});

describe('a script that is none is refused, with the place', () => {
  it.each([
    [{}, 'must be a JSON list of turns'],
    [[], 'the list'],
    [[{ say: 'x' }, { saay: 'y' }], 'turn 2: Unrecognized key: "saay"'],
    [[{}], 'turn 1: a turn needs at least one of say, call, fail and stop_reason'],
    [['hello'], 'turn 1: Invalid input'],
    [[{ say: 7 }], 'turn 1, say: '],
    [[[{ say: 'x' }, { say: '' }]], 'turn 1, alternative 2, say: '],
    [[{ call: [{ tool: 't', input: 'x' }] }], 'turn 1, call.0.input: '],
    [[{ say: 'x', when: 'never' }], 'turn 1, when: '],
    [[{ say: '{{eval 1+1}}' }], 'turn 1, say: {{eval 1+1}} is no template. There are: {{task}}, '],
    [[{ say: 'Hello {{task' }], 'turn 1, say: a template begins with {{ and does not end'],
    [[{ say: '{{result 0}}' }], 'is no template'],
    [[{ call: [{ tool: 't', input: { a: ['{{no}}'] } }] }], 'turn 1, call.0.input: {{no}} is no template'],
    [
      [
        { say: 'x', when: 'summary' },
        { say: 'y', when: 'summary' },
      ],
      'has 2 summaries',
    ],
  ])('%j: %s', (json, message) => {
    expect(() => parseScript(json, 'my.json')).toThrow('my.json');
    expect(() => parseScript(json, 'my.json')).toThrow(message);
  });
});
