/** A proof as text: with its bounds, and with what it does not show. */
import { BUDGET, inputOf, type Configuration } from './configuration.ts';
import { describePath } from './describe.ts';
import type { Proof } from './prove.ts';

/** A Markdown table that can be read as it is. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    [head, ...rows].reduce((width, cells) => Math.max(width, cells[column]?.length ?? 0), 3),
  );
  return [head, widths.map((width) => '-'.repeat(width)), ...rows]
    .map((cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
    .join('\n');
}

const count = (value: number | null): string => (value === null ? '> 20,000' : value.toLocaleString('en-US'));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const summaryOf = ({ configurations, coverage, refusals, breaches }: Proof): string => {
  const { transitions, missedTransitions, guards, missedAnswers } = coverage;
  const taken = transitions - missedTransitions.length;
  const answers = 2 * guards - missedAnswers.length;
  return [
    `${configurations.length} configurations, ${count(sum(configurations.map(({ states }) => states)))} states, ${count(sum(configurations.map(({ edges }) => edges)))} edges`,
    `${taken} of ${transitions} transitions taken, ${answers} of ${2 * guards} answers of guards seen`,
    ...missedTransitions.map((name) => `  not taken: ${name}`),
    ...missedAnswers.map((answer) => `  not seen: ${answer}`),
    `${count(refusals)} facts that must not happen were refused, as they have to be`,
    breaches.length === 0
      ? 'Within these bounds no step breaks the contract.'
      : `${breaches.length} paths break the contract:`,
    ...breaches.slice(0, 20).map((breach) => `  ${breach}`),
  ].join('\n');
};

type Tabled = readonly Configuration[];
type Found = Proof['configurations'];
type Counts = Found[number];
type Column = readonly [head: string, cellOf: (configuration: Configuration, counts?: Counts) => string];

const limitsOf = (configuration: Configuration) => inputOf(configuration).limits;

const NAME: Column = ['configuration', ({ name }) => name];

/** What was found; a dash where nothing was counted. */
const COUNTED: readonly Column[] = [
  ['states', (_, counts) => (counts ? count(counts.states) : '–')],
  ['edges', (_, counts) => (counts ? count(counts.edges) : '–')],
  ['simple paths', (_, counts) => (counts ? count(counts.simplePaths) : '–')],
];

const LIMITS: readonly Column[] = [
  ['turns', (configuration) => String(limitsOf(configuration).maxTurns)],
  ['at the limit', (configuration) => inputOf(configuration).onLimit],
  ['retries', (configuration) => String(limitsOf(configuration).maxRetries)],
  ['growths', (configuration) => String(limitsOf(configuration).maxGrowths)],
  ['continuations', (configuration) => String(limitsOf(configuration).maxContinuations)],
  ['stuck', (configuration) => String(limitsOf(configuration).stuckAfter)],
  ['budget', ({ budget = null }) => budget ?? '–'],
];

const EVENTS: readonly Column[] = [
  ['calls', ({ batches }) => batches.map((batch) => batch.map(letterOf).join('')).join(' ')],
  ['also', (configuration) => alsoIn(configuration)],
];

/** `ask b` is `A'`. */
const letterOf = (kind: Configuration['batches'][number][number]): string =>
  `${kind.charAt(0).toUpperCase()}${kind.endsWith('b') ? "'" : ''}`;

type WithColumn =
  | 'name'
  | 'maxTurns'
  | 'onLimit'
  | 'maxRetries'
  | 'maxGrowths'
  | 'maxContinuations'
  | 'stuckAfter'
  | 'budget'
  | 'batches';

/** In words, what has no column of its own: a field of a configuration that is in no table does not compile. */
const ALSO: Readonly<
  Record<Exclude<keyof Configuration, WithColumn>, (configuration: Configuration) => readonly string[]>
> = {
  hasOddResponses: ({ hasOddResponses }) => (hasOddResponses === true ? ['odd'] : []),
  hasInterjections: ({ hasInterjections }) => (hasInterjections === true ? ['words'] : []),
  aborts: ({ aborts = [] }) =>
    aborts.length === 3 ? ['aborts'] : aborts.map((cause) => `abort by ${cause}`),
  hasResumptions: ({ hasResumptions }) => (hasResumptions === true ? ['deaths'] : []),
  countsEveryToken: ({ countsEveryToken }) => (countsEveryToken === true ? ['costs'] : []),
  endings: ({ endings }) => endings?.map((kind) => kind.replace('_', ' ')) ?? [],
  raises: ({ raises }) => (raises === undefined ? [] : [`${raises} raises`]),
  carried: ({ carried }) =>
    carried === undefined
      ? []
      : [
          ...(carried.turn > 0 ? [`after turn ${carried.turn}`] : []),
          ...(carried.spent.tokens > 0 ? [`${count(carried.spent.tokens)} of ${count(BUDGET)} spent`] : []),
          ...Object.entries(carried.failing).map(([call, times]) => `${call} failed ${times}×`),
          ...(carried.isPaused === true ? ['paused'] : []),
          ...(carried.hasUnread === true ? ['unread'] : []),
        ],
  from: ({ from }) => (from === undefined ? [] : [`stopped: ${from.reason}`]),
};

const alsoIn = (configuration: Configuration): string =>
  Object.values(ALSO)
    .flatMap((wordsOf) => wordsOf(configuration))
    .join(', ') || '–';

/** What the columns say. */
export const LEGEND = [
  'simple paths: those to a stop that come to no state twice. They are counted up to 20,000.',
  'turns, retries, growths, continuations: at most so many; of the last three, within one turn. At the limit of turns the model sums up, a person is asked for one turn more, or the run stops.',
  'stuck: so many turns in a row in which the same call ends badly stop the run.',
  'budget: what the first request finds of it, plenty, enough for a summary only, or nothing; – without one. It counts tokens.',
  "calls: those that one response may make. R only reads and is allowed, A is asked for, D is ruled out, I does not fit; a letter with ' is another call of its kind.",
  'also: what may happen beside calls, answers and failures. “odd”: responses that are paused, cut off, refused, too long for the context window, and answers with calls; “words” of the user; “aborts” by a signal, the user and the deadline, or by one of them; “deaths” of the process, in every state; “costs”: what is cut off, and an answer with calls, costs a token as well. “succeeded, timed out”: calls time out instead of failing. The rest is what a run that goes on begins with (“unread”: words that no request has carried), and how it had stopped.',
] as const;

/** One row for each configuration, with all its bounds. Narrow: two tables instead, which fit on a terminal. */
export function configurationTable(configurations: Tabled, found: Found, isNarrow = false): string {
  const counts = new Map(found.map((one) => [one.name, one]));
  const tables = isNarrow ? [LIMITS, [...COUNTED, ...EVENTS]] : [[...COUNTED, ...LIMITS, ...EVENTS]];
  return tables
    .map((columns) => [NAME, ...columns])
    .map((columns) =>
      tableOf(
        columns.map(([head]) => head),
        configurations.map((one) => columns.map(([, cellOf]) => cellOf(one, counts.get(one.name)))),
      ),
    )
    .join('\n\n');
}

export const witnessTable = ({ witnesses }: Proof): string =>
  tableOf(
    ['stop reason', 'shortest way there'],
    Object.entries(witnesses)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([reason, path]) => [`\`${reason}\``, describePath(path)]),
  );

/** What no walk and no played path shows. */
export const NOT_PROVEN = [
  'Nothing beyond the bounds: more turns, more calls in a turn, more retries. Property tests go further, at random.',
  'That the contract is right. It was written by hand, by the authors of the chart.',
  'The real API. The server of the tests is ours; recorded responses and refusals of the real one are tests of it.',
  'The model: what it says, and whether its answer is right.',
  'Tools: what a script does. See the limits in the README.',
  'Time: orders of events are enumerated, durations are not.',
] as const;

export const listOf = (sentences: readonly string[]): string =>
  sentences.map((sentence) => `- ${sentence}`).join('\n');
