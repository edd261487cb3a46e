/** The configurations that are walked. Between them they take every transition, and each guard both ways. */
import type { Configuration } from './configuration.ts';

const SINGLE = ['read a', 'ask a'] as const;
const ALL_CAUSES = ['signal', 'user', 'deadline'] as const;

export const CONFIGURATIONS: readonly Configuration[] = [
  {
    name: 'calls',
    maxTurns: 2,
    maxRetries: 0,
    batches: [
      ['read a'],
      ['ask a'],
      ['deny a'],
      ['invalid a'],
      ['read a', 'read b'],
      ['ask a', 'read a'],
      ['read a', 'ask a'],
      ['ask a', 'ask b'],
      ['deny a', 'invalid b'],
    ],
  },
  { name: 'responses', maxTurns: 2, batches: batchesOf(SINGLE), hasOddResponses: true },
  {
    name: 'every token',
    maxTurns: 2,
    maxRetries: 0,
    maxContinuations: 0,
    batches: [['read a']],
    hasOddResponses: true,
    countsEveryToken: true,
  },
  { name: 'aborts', maxTurns: 2, batches: [['read a', 'read b'], ['ask a']], aborts: ALL_CAUSES },
  {
    name: 'words',
    maxTurns: 2,
    maxRetries: 0,
    batches: [['ask a']],
    hasInterjections: true,
    hasOddResponses: true,
  },
  { name: 'budget', maxTurns: 2, batches: [['read a']], budget: 'plenty', hasOddResponses: true },
  {
    name: 'budget and words',
    maxTurns: 2,
    maxRetries: 0,
    batches: [['ask a', 'ask b']],
    budget: 'plenty',
    hasInterjections: true,
  },
  {
    name: 'budget and two calls',
    maxTurns: 2,
    batches: [['read a', 'ask a']],
    budget: 'plenty',
    maxRetries: 0,
  },
  {
    name: 'budget and stuck',
    maxTurns: 3,
    maxRetries: 0,
    stuckAfter: 1,
    batches: [['invalid a'], ['read a']],
    budget: 'plenty',
    hasInterjections: true,
  },
  { name: 'budget and stop', maxTurns: 1, onLimit: 'stop', batches: [['read a']], budget: 'plenty' },
  { name: 'more words', maxTurns: 3, maxRetries: 0, batches: [['read a']], hasInterjections: true },
  {
    name: 'little budget',
    maxTurns: 2,
    batches: [['read a']],
    budget: 'summary only',
    hasOddResponses: true,
    aborts: ['user'],
  },
  { name: 'no budget', maxTurns: 2, batches: [['read a']], budget: 'nothing' },
  {
    name: 'stop at the limit',
    maxTurns: 2,
    onLimit: 'stop',
    batches: batchesOf(SINGLE),
    hasOddResponses: true,
  },
  {
    name: 'ask at the limit',
    maxTurns: 2,
    onLimit: 'ask',
    batches: [['read a']],
    aborts: ALL_CAUSES,
    hasInterjections: true,
  },
  {
    name: 'growth and words',
    maxTurns: 1,
    maxRetries: 0,
    maxContinuations: 0,
    batches: [['read a']],
    budget: 'plenty',
    hasInterjections: true,
    hasOddResponses: true,
  },
  {
    name: 'stuck',
    maxTurns: 4,
    maxRetries: 0,
    stuckAfter: 2,
    batches: [['read a'], ['invalid a'], ['read b', 'read a']],
  },
  { name: 'one turn', maxTurns: 1, batches: batchesOf(SINGLE), hasOddResponses: true, aborts: ['user'] },
  { name: 'one turn, stop', maxTurns: 1, onLimit: 'stop', batches: batchesOf(SINGLE), hasOddResponses: true },
  { name: 'time', maxTurns: 2, maxRetries: 0, batches: [['ask a']], endings: ['succeeded', 'timed_out'] },
];

/** Small enough for every simple path to a stop. */
export const SMALL: readonly Configuration[] = [
  ...CONFIGURATIONS.filter(({ name }) =>
    ['calls', 'aborts', 'no budget', 'one turn', 'one turn, stop', 'time'].includes(name),
  ),
  { name: 'small budget', maxTurns: 2, maxRetries: 1, batches: [['read a']], budget: 'plenty' },
  {
    name: 'small raise',
    maxTurns: 2,
    maxRetries: 0,
    onLimit: 'ask',
    batches: [['read a']],
    aborts: ['user'],
  },
  { name: 'small words', maxTurns: 2, maxRetries: 0, batches: [['read a']], hasInterjections: true },
  {
    name: 'small odds',
    maxTurns: 1,
    maxRetries: 1,
    batches: [['read a']],
    hasOddResponses: true,
  },
];

/** Walked on demand: more turns, two asked calls. */
export const DEEP: readonly Configuration[] = [
  { name: 'deep calls', maxTurns: 3, batches: [['read a'], ['ask a', 'ask b']], maxRetries: 1 },
  { name: 'deep aborts', maxTurns: 3, batches: [['ask a', 'ask b']], aborts: ALL_CAUSES, maxRetries: 0 },
];

/** For random walks. */
export const LONG: Configuration = {
  name: 'long',
  maxTurns: 20,
  onLimit: 'ask',
  budget: null,
  stuckAfter: 3,
  batches: [
    ['read a'],
    ['ask a'],
    ['read a', 'read b'],
    ['deny a', 'read a'],
    ['invalid a'],
    ['ask a', 'ask b'],
  ],
  hasOddResponses: true,
  hasInterjections: true,
  aborts: ALL_CAUSES,
};

function batchesOf<Kind>(kinds: readonly Kind[]): readonly (readonly Kind[])[] {
  return kinds.map((kind) => [kind]);
}
