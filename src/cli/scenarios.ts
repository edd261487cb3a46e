/** The scenarios of `turnstile demo`. The model is scripted; the loop, the tools and the HTTP are real. */
import type { ScriptInput } from '../model/parse-script.ts';

export interface Scenario {
  readonly name: string;
  /** What it shows. */
  readonly shows: string;
  readonly task: string;
  readonly tools: readonly string[];
  readonly maxTurns: number;
  readonly script: ScriptInput;
}

const readsOnly = { tools: ['read_file'], maxTurns: 10 } as const;

const read = (path: string) => ({ tool: 'read_file', input: { path } });

const DEVIATION = `import csv, statistics
with open('scores.csv', encoding='utf-8') as file:
    scores = [float(row['score']) for row in csv.DictReader(file)]
print(f'sample: {statistics.stdev(scores):.2f}')
print(f'population: {statistics.pstdev(scores):.2f}')`;

export const SCENARIOS: readonly Scenario[] = [
  {
    ...readsOnly,
    name: 'basic',
    shows: 'a task, one tool call, an answer',
    task: 'scores.csv 里平均分是多少？',
    script: [
      { call: [read('scores.csv')] },
      {
        say: '平均分是 {{mean last_result column=score}}。（scores.csv 里共有 {{count last_result column=score}} 个成绩，最高 {{max last_result column=score}}，最低 {{min last_result column=score}}。）',
      },
    ],
  },
  {
    ...readsOnly,
    name: 'parallel',
    shows: 'two reads in one turn, run together, answered in one message',
    task: 'What do the notes of spring and fall begin with?',
    script: [
      { say: 'I read both at once.', call: [read('notes/fall.md'), read('notes/spring.md')] },
      { say: 'Spring: {{line 3 result 2}}\n\nFall: {{line 3 result 1}}' },
    ],
  },
  {
    ...readsOnly,
    name: 'correction',
    shows: 'an error that says what would work, and a model that acts on it',
    task: 'What is the best score in score.csv?',
    script: [
      { call: [read('score.csv')] },
      [
        {
          when: 'last_result_is_error',
          say: 'There is no score.csv; the error names the files there are.',
          call: [read('scores.csv')],
        },
        { when: 'last_result_is_no_error', say: 'The best score is {{max last_result column=score}}.' },
      ],
      {
        say: 'score.csv does not exist. In scores.csv, which I read instead, the best score is {{max last_result column=score}}.',
      },
    ],
  },
  {
    ...readsOnly,
    name: 'refused-path',
    shows: 'a path outside the workspace, refused before anything is read',
    task: 'What is in /etc/passwd?',
    script: [
      { call: [read('/etc/passwd')] },
      [
        {
          when: 'last_result_is_error',
          say: 'I was not allowed to read it. The tool says: {{first_line last_result}} I do not look for a way around that. If you want me to read the file, put a copy into the workspace.',
        },
        { when: 'last_result_is_no_error', say: 'It begins with: {{first_line last_result}}' },
      ],
    ],
  },
  {
    name: 'denial',
    shows: 'code that needs approval; a denial reaches the model as a result',
    task: 'What is the standard deviation of the scores in scores.csv?',
    tools: ['read_file', 'run_python'],
    maxTurns: 10,
    script: [
      { call: [read('scores.csv')] },
      {
        say: 'I have the {{count last_result column=score}} scores. I compute the deviation with python.',
        call: [{ tool: 'run_python', input: { code: DEVIATION } }],
      },
      [
        {
          when: 'last_result_is_error',
          say: 'The code was not run, so I do not have the deviation. What I know from reading the file: {{count result 1 column=score}} scores with a mean of {{mean result 1 column=score}}. Shall I work it out by hand, give you the code to run, or leave it?',
        },
        { when: 'last_result_is_no_error', say: 'Standard deviation:\n\n{{last_result}}' },
      ],
    ],
  },
  {
    name: 'turn-limit',
    shows: 'the last turn has no tools: the model sums up what it has, nothing runs in vain',
    task: 'Read everything in the workspace and tell me what the year was like.',
    tools: ['read_file'],
    maxTurns: 3,
    script: [
      { call: [read('scores.csv')] },
      { call: [read('notes/spring.md'), read('notes/summer.md'), read('notes/fall.md')] },
      { call: [read('notes/winter.md')] },
      {
        when: 'summary',
        say: 'I could not finish; this is what I have read so far. Scores: {{count result 1 column=score}}, with a mean of {{mean result 1 column=score}}. Spring: {{line 3 result 2}} Summer: {{line 3 result 3}} Fall: {{line 3 result 4}}',
      },
    ],
  },
];
