/** What the rules say of a call: deny beats ask beats allow, in whatever order they were given. */
import type { Rule } from '../ports.ts';
import { compileMatch, type Subject, type Workspace } from './match.ts';
import { printRule } from './text.ts';

/** `approveAll`: the call would be asked for, and its host said yes to all. Null: what tools of its kind get by default. */
export type DecidedBy = Rule | 'approveAll' | null;

interface Ruling {
  readonly verdict: Rule['verdict'];
  readonly by: DecidedBy;
}

export interface Kind {
  /** Without effects a tool is allowed by default, with effects it is asked for. */
  readonly effects: 'none' | 'some';
  /** Turns *ask* into *allow*, never *deny*. */
  readonly approveAll: boolean;
}

/** Rules as they are decided by. */
export type Decide = (subject: Subject, kind: Kind) => Ruling;

/** Compiled once, asked for each call. */
export function compileRules(rules: readonly Rule[], workspace: Workspace): Decide {
  const ordered = rules
    .toSorted(compareRules)
    .map((rule) => ({ rule, isMatch: compileMatch(rule, workspace) }));
  return (subject, { effects, approveAll }) => {
    const rule = ordered.find(({ isMatch }) => isMatch(subject))?.rule ?? null;
    const verdict = rule?.verdict ?? (effects === 'none' ? 'allow' : 'ask');
    return verdict === 'ask' && approveAll ? { verdict: 'allow', by: 'approveAll' } : { verdict, by: rule };
  };
}

/** How a decision stands in a fact. */
export const decidedBy = (by: DecidedBy): string | null =>
  by === null || by === 'approveAll' ? by : printRule(by);

const STRENGTH = { deny: 0, ask: 1, allow: 2 } as const;

/** The strongest first; among equals by their text, so that the same rule is named in whatever order they were given. */
export function compareRules(a: Rule, b: Rule): number {
  const [one, other] = [printRule(a), printRule(b)];
  return STRENGTH[a.verdict] - STRENGTH[b.verdict] || (one < other ? -1 : Number(one > other));
}
