/** Invariant 2: no asked call runs without an approval of its input, and no call that is denied or invalid. */
import { isHashOf } from './hash.ts';
import { callsIn, headerAfter, type ParsedJournal, type Placed, type PlacedCall } from './lines.ts';
import type { FactOf } from './schemas.ts';
import { sayer, shown, type Violation } from './violation.ts';

const say = sayer(2);

type Decided = Placed<FactOf<'approval.decided'>>;
type Resumed = Placed<FactOf<'run.resumed'>>;

/** A call as the rules and people judge it by now. */
interface Judged {
  readonly call: PlacedCall;
  readonly verdict: PlacedCall['verdict'];
  readonly decisions: readonly Decided[];
}

export function permissionViolations({ header: first, facts }: ParsedJournal): readonly Violation[] {
  const found: Violation[] = [];
  const judged = new Map<string, Judged>();
  let header = first;
  for (const fact of facts) {
    if (header !== null) header = headerAfter(header, fact);
    for (const call of callsIn(fact)) {
      judged.set(call.id, { call, verdict: call.verdict, decisions: [] });
      const why = mayRun(call.verdict) ? forbiddenBy(call, call.input, header, fact.line) : null;
      if (why !== null)
        found.push(
          say(fact.line, `${why}, but the verdict on the call ${shown(call.id)} is ${call.verdict}.`),
        );
    }
    if (fact.type === 'approval.decided') {
      const known = judged.get(fact.callId);
      found.push(...decisionViolations(fact, known));
      if (known) judged.set(fact.callId, { ...known, decisions: [...known.decisions, fact] });
    } else if (fact.type === 'run.resumed') {
      judgeAnew(fact, judged);
    } else if (fact.type === 'tool.started') {
      const known = judged.get(fact.callId);
      const why = known === undefined ? null : refusalOf(known, header, fact.line);
      if (why !== null) found.push(say(fact.line, `The call ${shown(fact.callId)} starts, but ${why}.`));
    }
  }
  return found;
}

const mayRun = (verdict: PlacedCall['verdict']): boolean => verdict === 'allow' || verdict === 'ask';

/** A rule that the verdict itself is said to come from, or one of the run's that is about the input for certain. */
function forbiddenBy(
  { name, rule }: PlacedCall,
  input: unknown,
  header: ParsedJournal['header'],
  line: number,
): string | null {
  if (header === null) return null;
  // What a fork has from its origin was done with the tools of then.
  const isOfOrigin = line <= (header.forkOf?.lines ?? 0);
  if (!isOfOrigin && !header.tools.some((tool) => tool.name === name))
    return `There is no tool ${shown(name)}`;
  const isDenied =
    rule?.startsWith('deny ') === true ||
    header.rules.some(
      ({ tool, verdict, match }) =>
        verdict === 'deny' && (tool === '*' || tool === name) && isAbout(input, match),
    );
  return isDenied ? `A rule denies ${shown(name)}` : null;
}

type Match = NonNullable<ParsedJournal['header']>['rules'][number]['match'];

/** Globs depend on the workspace of then, and an input may have been read otherwise than it was sent: only texts count. */
function isAbout(input: unknown, match: Match): boolean {
  if (match === undefined) return true;
  const value = isRecord(input) ? input[match.argument] : undefined;
  if (typeof value !== 'string') return false;
  const { contains, atLeast, atMost } = match;
  if (typeof contains === 'string') return value.includes(contains);
  if (typeof atLeast === 'number') return value.length >= atLeast;
  return typeof atMost === 'number' && value.length <= atMost;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function judgeAnew({ judgements }: Resumed, judged: Map<string, Judged>): void {
  for (const { callId, verdict, rule, isDecisionKept } of judgements) {
    const known = judged.get(callId);
    if (known === undefined) continue;
    const decisions = isDecisionKept ? known.decisions : [];
    judged.set(callId, { call: { ...known.call, rule }, verdict, decisions });
  }
}

function decisionViolations(
  { line, callId, inputHash, edited }: Decided,
  known: Judged | undefined,
): readonly Violation[] {
  if (known === undefined) return [];
  const { call, verdict } = known;
  return [
    ...(verdict === 'ask'
      ? []
      : [say(line, `The call ${shown(callId)} is decided, but its verdict is ${verdict}.`)]),
    ...(call.inputHash === inputHash
      ? []
      : [say(line, `The decision is of another input than that of the call ${shown(callId)}.`)]),
    ...(edited === null || isHashOf(edited.inputHash, edited.input)
      ? []
      : [say(line, `The hash of the edited input of the call ${shown(callId)} is that of another input.`)]),
  ];
}

function refusalOf(
  { call, verdict, decisions }: Judged,
  header: ParsedJournal['header'],
  line: number,
): string | null {
  if (!mayRun(verdict)) return `its verdict is ${verdict}`;
  const [first] = decisions;
  const why = forbiddenBy(call, first?.edited?.input ?? call.input, header, line);
  if (why !== null) return `${why.slice(0, 1).toLowerCase()}${why.slice(1)}`;
  if (verdict === 'allow') return null;
  if (first === undefined) return 'nobody has approved it';
  if (decisions.some(({ decision }) => decision === 'deny')) return 'it was denied';
  return first.inputHash === call.inputHash ? null : 'another input was approved';
}
