/** Invariant 1: every request is one that the Messages API accepts. They are rebuilt here and held against its rules. */
import { validateRequest } from './api/index.ts';
import { headerAfter, isAsked, type ParsedJournal } from './lines.ts';
import { Rebuilt, userSays, type Message } from './rebuilt.ts';
import type { Header } from './schemas.ts';
import { sayer, shown, type Violation } from './violation.ts';

const say = sayer(1);

export function requestViolations({ header: first, facts }: ParsedJournal): readonly Violation[] {
  if (first === null) return [];
  let header = first;
  const history = new Rebuilt(header.task);
  const found = new Map<string, Violation>();
  // What is wrong with one request is wrong with all that follow: the first one names it.
  const add = (line: number, what: string, refusal: string | null): void => {
    if (refusal !== null && !found.has(refusal))
      found.set(refusal, say(line, `The API refuses ${what}: ${shownLong(refusal)}`));
  };
  for (const fact of facts) {
    if (isAsked(fact)) {
      const { isPaused } = history;
      add(fact.line, 'the request before this', refusalOf(header, history.asked(fact), { isPaused }));
    }
    header = headerAfter(header, fact);
    history.add(fact);
  }
  const last = facts.at(-1);
  if (last !== undefined && !history.hasOpenCalls) {
    const { isPaused, messages } = history;
    // A paused turn goes back as it is; words of the user wait until it has ended.
    const rest = isPaused ? messages : [...messages, userSays('Go on.')];
    add(last.line, 'to go on from here', refusalOf(header, rest, { isPaused }));
  }
  return [...found.values()];
}

/** The words of the API, but for ids that have no end. */
const shownLong = (refusal: string): string =>
  refusal.length > 1_000 ? `${shown(refusal)} ${refusal.slice(-200).toWellFormed()}` : refusal;

function refusalOf(
  { model, maxTokens, tools }: Header,
  messages: readonly Message[],
  { isPaused }: { readonly isPaused: boolean },
): string | null {
  const body = {
    model,
    max_tokens: maxTokens,
    tools,
    messages,
  };
  return (
    validateRequest(body, { version: '2026-10-21', models: 'any', continuesPause: isPaused })?.message ?? null
  );
}
