/** Lines of a journal as a verifier takes them: hostile, so only what is relied on is believed, once it is checked. */
import type { z } from 'zod';
import { isFields } from './api/values.ts';
import { plainOf } from './plain.ts';
import {
  endSchema,
  factSchema,
  headerSchema,
  type End,
  type FactOf,
  type Header,
  type VerifiedFact,
} from './schemas.ts';
import { sayer, shown, type Violation } from './violation.ts';

/** A line that a journal may have, and where it stands. */
export type Placed<Value> = Value & { readonly line: number };

/** A fact about a request. */
export type Asked = Placed<Extract<VerifiedFact, { heard: number }>>;
/** A request that got a response. */
export type Responded = Extract<Asked, { message: unknown }>;

export interface ParsedJournal {
  readonly header: Placed<Header> | null;
  readonly facts: readonly Placed<VerifiedFact>[];
  readonly ends: readonly Placed<End>[];
  /** All that could be read, in order. */
  readonly order: readonly Placed<Header | VerifiedFact | End>[];
  /** Of the lines that could not be read. */
  readonly violations: readonly Violation[];
}

/** Reads lines, whatever they are. What cannot be read is a violation and is left out. */
export function parseJournal(lines: readonly unknown[]): ParsedJournal {
  const read = lines.map((value, index) => readLine(value, index + 1));
  const order = read.filter((line): line is AnyLine => !('invariant' in line));
  return {
    header: order.find((line) => line.type === 'run.started') ?? null,
    facts: order.filter(isFact),
    ends: order.filter((line) => line.type === 'run.ended'),
    order,
    violations: read.filter((line): line is Violation => 'invariant' in line),
  };
}

type AnyLine = ParsedJournal['order'][number];

const isFact = (line: AnyLine): line is Placed<VerifiedFact> =>
  line.type !== 'run.started' && line.type !== 'run.ended';

const say = sayer(0);

function readLine(value: unknown, line: number): AnyLine | Violation {
  const plain = plainOf(value);
  if ('problem' in plain) return say(line, `${plain.problem}: it is no line of a journal.`);
  const type = typeOf(plain.value);
  const parsed = schemaOf(type).safeParse(plain.value);
  return parsed.success ? { ...parsed.data, line } : say(line, problemOf(type, parsed.error));
}

const typeOf = (value: unknown): string =>
  isFields(value) && typeof value['type'] === 'string' ? value['type'] : '';

function schemaOf(type: string) {
  if (type === 'run.started') return headerSchema;
  return type === 'run.ended' ? endSchema : factSchema;
}

function problemOf(type: string, { issues: [issue] }: z.ZodError): string {
  if (type === '') return 'This is no line of a journal.';
  const where = issue?.path.join('.') ?? '';
  return where === 'type'
    ? `No line of a journal is called ${JSON.stringify(shown(type))}.`
    : `This is no ${shown(type)}: ${shown(issue?.message ?? '')} (${shown(where)}).`;
}

/** The header as a fact leaves it: a resumption may change the model and its price, the rules and the limits. */
export const headerAfter = (header: Placed<Header>, fact: Placed<VerifiedFact>): Placed<Header> =>
  fact.type === 'run.resumed'
    ? {
        ...header,
        model: fact.model,
        price: fact.price,
        rules: fact.rules,
        limits: fact.limits,
        onLimit: fact.onLimit,
      }
    : header;

/** Facts of one name. */
export const factsOf = <Type extends VerifiedFact['type']>(
  facts: readonly Placed<VerifiedFact>[],
  type: Type,
): readonly Placed<FactOf<Type>>[] =>
  facts.filter((fact): fact is Placed<FactOf<Type>> => fact.type === type);

/** A fact about a request, whatever came of it. */
export const isAsked = (line: AnyLine): line is Asked => 'heard' in line;

/** A response that the history keeps: no refusal, no overflow, no truncation that is asked again. */
export const isKept = (line: AnyLine): line is Responded =>
  line.type === 'model.answered' ||
  line.type === 'model.called_tools' ||
  line.type === 'model.paused' ||
  (line.type === 'model.truncated' && !line.canGrow);

export type PlacedCall = Placed<FactOf<'model.called_tools'>['calls'][number]>;

/** Calls that were made: those of a response that does not count are none. */
export const callsIn = (fact: Placed<VerifiedFact>): readonly PlacedCall[] =>
  'calls' in fact && isKept(fact) ? fact.calls.map((call) => ({ ...call, line: fact.line })) : [];

/** What the user says with a fact. */
export function wordsIn(fact: Placed<VerifiedFact>): readonly string[] {
  if (fact.type === 'user.interjected') return [fact.text];
  return fact.type === 'run.resumed' ? fact.words : [];
}
