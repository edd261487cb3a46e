/** The page `docs/proof.md`: what was walked, what was played, and what was not. */
import { CARRIED } from './carried.ts';
import { CONFIGURATIONS, DEEP, LONG, SMALL } from './configurations.ts';
import { CONTRACT } from './contract.ts';
import { KILLS, TIERS } from './figures.ts';
import type { Proof } from './prove.ts';
import { configurationTable, LEGEND, listOf, NOT_PROVEN, tableOf, witnessTable } from './report.ts';

/** Configurations that tiers 3 and 4 play beside those of tier 2. */
export const OTHERS = [...SMALL.filter((one) => !CONFIGURATIONS.includes(one)), ...DEEP];

export interface Figures {
  /** Of all configurations, the carried ones included. */
  readonly proof: Proof;
  /** Of the others. */
  readonly others: Proof;
  /** What the tests play against the real system: paths that take so many edges, and simple paths. */
  readonly tier2: { readonly paths: number; readonly edges: number };
  readonly tier3: number;
  readonly mutants: number;
  /** Of the tests: places where a process dies, and ways to tear the line that it was writing. */
  readonly sweep: {
    readonly crashes: number;
    readonly paths: number;
    readonly tears: number;
    /** Crashes where prefixes that paths share are not counted once. */
    readonly whole: number;
  };
  /** Changes of the chart that change nothing, with the reason. */
  readonly equivalent: readonly { readonly why: string; readonly mutants: readonly string[] }[];
  /** Of the last mutation tests of the code: a table. */
  readonly codeMutants: string;
}

/** What keeps the graph small: it is not walked, or walked for one of many that are alike. */
const REDUCTIONS = [
  'Calls start in the order in which the loop starts them: neighbours that only read together, others one by one. Results come in order.',
  'The user says at most one thing at a time that no request has carried yet, and one huge thing a run.',
  'Failed, timed out and interrupted are one class to the machine; each is played where it can come about.',
  'An edited approval is an approval to the machine; editing has tests of its own.',
  'The limit is never more than one turn above where it began.',
  'A run is stuck after one turn or after two, where it is. No graph here is long enough for the default, three; random walks are.',
  'Amounts are tokens, never USD: `test/paths/currency.test.ts` takes every state with a budget once more, in USD.',
  'A response that ends the run costs one token, and so does an abort. The others cost nothing, but for those that are cut off or answer with calls in “every token”, and, where there is a budget, for those that leave less than plenty of it.',
  'Once there is a cause to stop, what is left of the budget is enough or is nothing: “for a summary only” is no third amount then.',
  'A run that waits for a person has not ended: that an approver says `wait`, or that a signal comes while a call is asked for, is the end of no path. `test/run-people.test.ts` and `test/resume/agent.test.ts` are about it.',
  'While calls that were under way are told to end after an abort, nothing that the user says is taken in.',
  'Between the last decision of a person and the first call the deadline cannot pass: its clock stands still.',
  '`max_tokens` grows only where the budget has room for what was sent; of what can come between, words of the user are walked (“growth and words”).',
  'A process may die in every state in three small configurations (“resumed”); the crash sweep below plays crashes on many more paths. What it leaves behind is part of a state there: a call that it had begun ends as interrupted, unless it only reads and runs again; tools that a rule forbids since are denied. A journal that is not trusted is gone on with where a call is decided, a new rule where a call is open. A larger budget is said anew in none of them.',
  'A run that has stopped goes on behind the shortest run that stops so: with words of the user, asked by the loop to go on, or with neither. Of the reasons `budget`, `deadline` and `context_window` are left out.',
  'What cuts an effect off comes before it has begun or while it waits, in turn by its place in the list; not both for each edge.',
] as const;

export function proofDocument({
  proof,
  others,
  tier2,
  tier3,
  mutants,
  sweep,
  equivalent,
  codeMutants,
}: Figures): string {
  const { coverage, refusals, configurations } = proof;
  const same = equivalent.reduce((sum, group) => sum + group.mutants.length, 0);
  const edges = configurations.reduce((sum, configuration) => sum + configuration.edges, 0);
  return [
    '# What is proven, and what is not',
    'Made by `test/paths/document.test.ts`. Do not edit: `npx vitest run test/paths/document.test.ts -u` writes it again.',
    'The loop of Turnstile is a statechart. A statechart with few counters has a graph that can be walked to its end, and each of its paths is a list of facts that the real loop can be made to live through. This page says how far that was done. Nothing on it holds beyond the bounds that stand beside it.',
    'The words: a **state** is a situation in which the loop waits for something, with its counters. A **fact** is something that has happened, `model.answered` say. A **transition** is an arrow of the chart: in this state, on this fact, go there; a **guard** is a question that decides between arrows. An **edge** is such an arrow between two states with all their counters, so that one transition has many. A **path** is a list of facts from the start; it is **simple** when it comes to no state twice. A **configuration** is a set of limits, and of what may happen. A **tier** is a set of paths.',
    '## In short',
    [
      `- **Every transition** of the chart is taken: ${coverage.transitions} of ${coverage.transitions}, and each of its ${coverage.guards} guards is seen true and false (tier 1).`,
      `- **Every edge** of the bounded graphs, ${count(tier2.edges)} of them on ${count(tier2.paths)} paths, is played against the real driver, the real client over HTTP, real tools and real processes: of runs that begin with a task, and of runs that go on, from one that has stopped (“carried”, “gone on”) or behind a process that died (“resumed”). The journal holds exactly the facts of the path, and the run ends where the chart says (tier 2).`,
      `- **Every simple path** to every stop at the smallest bounds, ${count(tier3)} of them, is played in the same way (tier 3).`,
      `- At each step of ${count(edges)} edges a **contract**, written by hand from the rules and not from the chart, says where the run has to be. ${count(refusals)} facts that must not happen there are refused.`,
      `- Of **${count(mutants)} wrong charts**, each different from ours in one place, the contract notices ${count(mutants - same)}. The other ${same} behave as ours does; the reasons are below.`,
    ].join('\n'),
    `See it yourself: \`turnstile prove\` walks and counts in seconds, \`turnstile prove --play\` plays, \`npm test\` does all of it. On ${TIERS.cores} cores tiers 1 to 3 took ${TIERS.seconds} seconds in ${TIERS.month}: \`${TIERS.command}\`.`,
    '## How a path is made',
    'In each state that waits for something, everything that can happen there is listed, with every payload that a guard can tell from another: a call that is allowed, asked for, ruled out or does not fit; money for a turn, for a summary only, or for nothing; a failure that passes or lasts; room to grow or none. `src/paths/alphabet.ts` is that list. A state without one does not compile. xstate’s own graph tools walk the very machine that runs; identical value and context make one state.',
    'These reductions keep the graph small:',
    listOf(REDUCTIONS),
    '## What was walked',
    configurationTable([...CONFIGURATIONS, ...CARRIED], configurations),
    'What the columns say; those behind the simple paths are the bounds:',
    listOf(LEGEND),
    'A run that goes on begins with the shortest run that leaves behind what it carries. One that has no room for another turn is not begun: the library says so, and nothing of it is in the table. Longer runs repeat what these do; that they do nothing else is tried by random walks, not shown by this table.',
    `Tier 3 plays ${namesOf(SMALL.filter((one) => CONFIGURATIONS.includes(one)))} of this table, and the small ones of the next. The deep ones and random walks of “long” are played on demand: \`npm run paths:deep\`.`,
    configurationTable([...OTHERS, LONG], others.configurations),
    '## How a path is played',
    'The player turns a path into a world: a strict server that answers over HTTP with the bytes that make the client see that fact (statuses, broken streams, error events, HTML, protocol faults in turn), an approver that decides as the path says, python scripts and files that make a tool succeed, fail or hang, a clock whose time passes when the path says so, and an abort or a message at that very point: either while the effect waits, or before it has begun. A process dies in the same way: what it would still have recorded is lost, its request and its script are cut off, and an agent with a client, tools and a person of its own goes on from the journal. Then it expects the same facts, the same state behind each, folded from its journal, the same outcome, each cost in tokens what the server billed for it (a request whose process died: at least its answer; the prices of kinds of tokens have tests of their own), and each request what the rules say of it: tools on or off, every message and every block in its place, every result of the kind that it has to be, and none that the server refuses. The history that it is held against is kept from what the server sent and what people said, and shares no code with the loop’s (`src/paths/requests.ts`). No fact is made up: what cannot be provoked from outside is not in the list above.',
    '## What a crash loses',
    `The process of a run that began with a task dies behind each fact of a path for each edge, and of each path of tier 3, paths that begin alike counted once: ${count(sweep.crashes)} crashes on ${count(sweep.paths)} paths. Of the line that it was writing there is nothing, its first byte, half, all but the last byte, or all but the newline: ${count(sweep.crashes * sweep.tears)} torn journals. Another process goes on from what can be read, against a model and tools in the same process. Each run comes to the stop of its path (or to \`budget\` and \`stuck\`, where a lost request or call counts); no call with effects starts twice; every response that was billed is in the spend; \`verify\` finds nothing. \`SWEEP=all npx vitest run test/resume/sweep.test.ts\` counts them again and again, ${count(sweep.whole)} crashes.`,
    `And for real: the command is killed by SIGKILL at ${KILLS} random instants against a slow model and slow scripts, and resumed until it is done (\`test/resume/kill.test.ts\`, \`KILLS=1000\` for more). Every script has had its effect at most once, every run has its answer, every journal holds. That a line survives a power cut is what \`fsync\` promises; it was not tried.`,
    '## The contract',
    'Where a run may be. Exactly one row holds at any time.',
    tableOf(
      ['the run is at', 'when'],
      Object.entries(CONTRACT).map(([place, { rule }]) => [`\`${place}\``, rule]),
    ),
    'Beside that: turns, limits, retries, growths, continuations, spend, unread words and open calls that the machine counts are those that the facts add up to; and a fact that does not end an effect does not begin it anew.',
    '## The shortest way to each stop',
    'Of all configurations: one has no money at all, one no retry left, one stops at the limit without a summary. A call is named by what it is to the loop: `read` is allowed, `ask` waits for a person, `deny` is ruled out, `invalid` does not fit; equal letters are equal calls.',
    witnessTable(proof),
    '## Wrong charts',
    `Each guard left out and negated, each action left out, neighbouring branches swapped, each transition led to every other state, left out or led nowhere: ${count(mutants)} charts. These ${same} change nothing ([statechart.md](statechart.md) has the names of states and guards):`,
    equivalent.map(({ why, mutants: names }) => `- ${why} (${names.length})`).join('\n'),
    '## Small changes of the code',
    'Stryker changes the code that decides in one place at a time; a change that no test notices survives. These are the last figures; [mutation.md](mutation.md) says how they came about, and what is known of the survivors. But for `machines/`, code that runs once as its module loads is left as it is.',
    codeMutants,
    '## What is not proven',
    listOf(NOT_PROVEN),
    '',
  ].join('\n\n');
}

const count = (number: number): string => number.toLocaleString('en-US');

const namesOf = (configurations: typeof SMALL): string =>
  configurations.map(({ name }) => `“${name}”`).join(', ');
