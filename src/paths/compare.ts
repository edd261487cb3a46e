/** What a played run did otherwise than its path: nothing, if the driver is as the chart says. */
import { isDeepStrictEqual } from 'node:util';
import { isFact } from '../journal/lines.ts';
import type { Fact, JournalLine } from '../ports.ts';
import { billDifferences } from './bill.ts';
import { normalFact, normalState } from './normal-form.ts';
import { MAX_TOKENS } from './process.ts';
import { requestsOf } from './requests.ts';
import { shapeOf } from './shape.ts';
import { verifyJournal } from '../verify/index.ts';
import type { Played } from './play.ts';
import type { Path } from './walk.ts';

/** @returns one sentence for each difference */
export function differencesOf(path: Path, played: Played): readonly string[] {
  const facts = played.lines.filter(isFact);
  const whole = [...played.prelude, ...path];
  return [
    ...whole.flatMap((step, index) => {
      const fact = facts[index];
      const state = played.states[index + 1];
      if (fact === undefined || state === undefined)
        return [`Fact ${index + 1}, ${step.event.type}, did not happen.`];
      return [
        ...difference(`Fact ${index + 1}`, normalFact(step.event), normalFact(fact)),
        ...difference(`The state behind fact ${index + 1}`, normalState(step.snapshot), normalState(state)),
      ];
    }),
    ...facts.slice(whole.length).map(({ type }) => `${type} happened beyond the path.`),
    ...outcomeDifferences(path, played),
    ...requestDifferences(path, played),
    ...(played.deletions > 0 ? ['A call ran that the rules rule out.'] : []),
    ...(played.processes > startsOf(facts) ? ['A script ran more often than a call of it was started.'] : []),
    ...verifyJournal(played.lines).map(({ line, message }) => `Line ${line}: ${message}`),
  ];
}

const startsOf = (facts: readonly Fact[]): number =>
  facts.filter(({ type }) => type === 'tool.started').length;

const difference = (what: string, expected: unknown, real: unknown): readonly string[] =>
  isDeepStrictEqual(expected, real)
    ? []
    : [`${what} is ${JSON.stringify(real)} where the path has ${JSON.stringify(expected)}.`];

function outcomeDifferences(path: Path, { result, lines, states }: Played): readonly string[] {
  const output = path.at(-1)?.snapshot.output ?? states[0]?.output;
  if (output === undefined) return ['The path does not end in a stop.'];
  if (result.state !== 'stopped') return [`The run is ${result.state} where the path has stopped.`];
  const { reason, turns, summary } = output;
  const charged = lines.reduce((sum, line) => sum + ('cost' in line ? line.cost.tokens : 0), 0);
  return [
    ...difference('The outcome', { reason, turns, summary }, pick(result)),
    ...difference('The spend', charged, states.at(-1)?.context.spent.tokens),
    ...difference('The last line', { type: 'run.ended', result }, withoutTime(lines.at(-1))),
  ];
}

const pick = ({ reason, turns, summary }: Extract<Played['result'], { state: 'stopped' }>) => ({
  reason,
  turns,
  summary,
});

function withoutTime(line: JournalLine | undefined): unknown {
  if (line?.type !== 'run.ended') return line;
  const { at: _, ...rest } = line;
  return rest;
}

/** Every request was one that the API accepts, and says what it has to. */
function requestDifferences(path: Path, played: Played): readonly string[] {
  const { requests, configuration, hasOwnTools } = played;
  const { shapes: expected, cut } = requestsOf(path, played);
  const first = (configuration.budget ?? null) === null ? MAX_TOKENS : null;
  const bodies = requests.map(({ body }) => body);
  return [
    ...requests.flatMap(({ refusal }) =>
      refusal === null ? [] : [`The server refused a request: ${refusal.message}`],
    ),
    ...bodies
      .slice(0, expected.length)
      .flatMap((body, index) =>
        difference(`Request ${index + 1}`, expected[index], shapeOf(body, first, hasOwnTools)),
      ),
    ...difference('The number of requests', expected.length, requests.length),
    ...billDifferences(played, cut),
    ...bodies.flatMap((body, index) =>
      difference(`What request ${index + 1} says of its place`, placeIn(played), placeOf(body)),
    ),
  ];
}

interface Place {
  readonly model: unknown;
  readonly system: unknown;
  readonly tools: unknown;
}

const placeOf = (body: unknown): Place => {
  const { model, system, tools } = body as Place;
  return { model, system: textOf(system), tools: withoutMarks(tools) };
};

/** What the model is told of its place is the same all the time: the run began with it. */
function placeIn({ lines: [header] }: Played): Place | null {
  if (header?.type !== 'run.started') return null;
  return { model: header.model, system: header.system, tools: withoutMarks(header.tools) };
}

const textOf = (system: unknown): unknown =>
  Array.isArray(system) ? system.map((block: { readonly text?: unknown }) => block.text).join('') : system;

/** Markers of the cache are no part of what is said. */
const withoutMarks = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner)));
