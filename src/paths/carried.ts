import type { Carried } from '../../machines/index.ts';
import type { Configuration, From } from './configuration.ts';

/** A run that goes on: behind a process that died, or from a run that has stopped. */
export const CARRIED: readonly Configuration[] = [
  {
    name: 'resumed',
    maxTurns: 1,
    maxRetries: 1,
    onLimit: 'ask',
    batches: [['ask a']],
    hasResumptions: true,
  },
  {
    name: 'resumed between two calls',
    maxTurns: 1,
    maxRetries: 0,
    onLimit: 'stop',
    batches: [['read a', 'ask a']],
    hasResumptions: true,
  },
  {
    name: 'resumed in a closing',
    maxTurns: 1,
    maxRetries: 0,
    batches: [['ask a'], ['read a']],
    aborts: ['user'],
    hasResumptions: true,
  },
  {
    name: 'carried in a pause',
    maxTurns: 2,
    batches: [['read a']],
    hasOddResponses: true,
    hasInterjections: true,
    carried: {
      turn: 0,
      spent: { nanoUsd: 0, tokens: 0 },
      failing: {},
      followsTools: false,
      isPaused: true,
      hasUnread: true,
    },
  },
  {
    name: 'carried turns',
    maxTurns: 3,
    batches: [['read a'], ['ask a']],
    hasOddResponses: true,
    carried: { turn: 1, spent: { nanoUsd: 0, tokens: 0 }, failing: {}, followsTools: true },
  },
  {
    name: 'carried to the limit',
    maxTurns: 2,
    onLimit: 'ask',
    batches: [['read a']],
    carried: { turn: 1, spent: { nanoUsd: 0, tokens: 0 }, failing: {}, followsTools: true },
  },
  {
    name: 'carried to the limit, with a budget',
    maxTurns: 2,
    maxRetries: 0,
    onLimit: 'ask',
    batches: [['read a']],
    budget: 'plenty',
    hasInterjections: true,
    carried: { turn: 1, spent: { nanoUsd: 0, tokens: 0 }, failing: {}, followsTools: true },
  },
  {
    name: 'carried streak',
    maxTurns: 3,
    stuckAfter: 2,
    batches: [['read a'], ['read b']],
    carried: { turn: 1, spent: { nanoUsd: 0, tokens: 0 }, failing: { 'read a': 1 }, followsTools: true },
  },
  goneOn('an answer', 3, { turn: 1 }, { reason: 'end_turn', words: 'user' }),
  goneOn('a refusal', 3, { turn: 1 }, { reason: 'refusal', words: 'user' }),
  goneOn('a truncation', 3, { turn: 1 }, { reason: 'max_tokens', words: 'loop' }),
  goneOn('an abort', 3, { turn: 1, followsTools: true }, { reason: 'aborted', words: 'none' }),
  goneOn('an abort, with words', 3, { turn: 1, followsTools: true }, { reason: 'aborted', words: 'user' }),
  goneOn('a summary', 4, { turn: 2 }, { reason: 'max_turns', words: 'loop' }),
  // Stuck after two calls, told to sum up, and tried again.
  { ...goneOn('stuck', 5, { turn: 3 }, { reason: 'stuck', words: 'loop' }), stuckAfter: 2 },
];

/** Without room for another turn: the library refuses to begin such a run, so nothing of it is walked. */
export const REFUSED: readonly Configuration[] = [
  {
    name: 'carried beyond the limit',
    maxTurns: 2,
    batches: [['read a']],
    carried: { turn: 2, spent: { nanoUsd: 0, tokens: 0 }, failing: {}, followsTools: true },
  },
  {
    name: 'carried beyond the limit, ask',
    maxTurns: 2,
    onLimit: 'ask',
    batches: [['read a']],
    carried: { turn: 2, spent: { nanoUsd: 0, tokens: 0 }, failing: {}, followsTools: true },
  },
  {
    name: 'carried spend',
    maxTurns: 2,
    batches: [['read a']],
    budget: 'plenty',
    carried: { turn: 0, spent: { nanoUsd: 0, tokens: 8_500 }, failing: {}, followsTools: false },
  },
];

/** The stop is one that every run with this limit can come to; what follows it is what is looked at. */
function goneOn(what: string, maxTurns: number, carried: Partial<Carried>, from: From): Configuration {
  return {
    name: `gone on from ${what}`,
    maxTurns,
    maxRetries: 0,
    batches: [['read a'], ['invalid a']],
    carried: {
      turn: 0,
      spent: { nanoUsd: 0, tokens: 0 },
      failing: {},
      followsTools: false,
      hasUnread: from.words !== 'none',
      ...carried,
    },
    from,
  };
}
