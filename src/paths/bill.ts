/** What the facts of a run say that it has cost, held against what the server has billed. */
import { isFact } from '../journal/lines.ts';
import type { Fact } from '../ports.ts';
import type { MessageReply, Reply } from '../testing/reply.ts';
import { promptTokensOf, type Body } from '../testing/usage.ts';
import type { Played } from './play.ts';
import { MAX_TOKENS } from './process.ts';
import { isModelFact } from './replies.ts';
import type { CutRequest } from './requests.ts';

/** @returns one sentence for each fact whose cost is another */
export function billDifferences(played: Played, cut: readonly CutRequest[]): readonly string[] {
  const facts = played.lines.filter(isFact);
  const replies = played.replies.values();
  return facts.flatMap((fact, position) => {
    if (!('cost' in fact)) return [];
    const lost = cut.find((one) => one.position === position);
    const [least, most] = isModelFact(fact) ? billOf(replies.next().value) : lostBill(lost, fact, played);
    const { tokens } = fact.cost;
    return [
      ...(tokens >= least && tokens <= most
        ? []
        : [`Fact ${position + 1}, ${fact.type}, costs ${tokens} tokens; ${least} to ${most} were billed.`]),
      ...(purposesOf(lost, fact).includes(purposeOf(fact))
        ? []
        : [`Fact ${position + 1}, ${fact.type}, has lost a ${String(purposeOf(fact))}.`]),
    ];
  });
}

type Range = readonly [least: number, most: number];

/** What is refused is not billed; what breaks off has said what its prompt costs. */
function billOf(reply: Reply | undefined): Range {
  if (reply?.kind === 'message') {
    const { input, output } = usageOf(reply);
    return [input + output, input + output];
  }
  if (reply?.kind !== 'close' && reply?.kind !== 'error_event') return [0, 0];
  const { input, output } = usageOf(reply.reply);
  return [input, input + output];
}

const usageOf = ({ usage }: MessageReply) => ({
  input: Number(usage?.['input_tokens'] ?? 0),
  output: Number(usage?.['output_tokens'] ?? 0),
});

/**
 * The player aborts requests before any answer, which is known to cost nothing. What a request of a dead process has cost nobody
 * knows: its prompt, and at most as much as it may have answered.
 */
function lostBill(lost: CutRequest | undefined, { type }: Fact, { requests }: Played): Range {
  if (lost === undefined || type === 'run.aborted') return [0, 0];
  const answer = MAX_TOKENS * 2 ** (lost.growths ?? 0);
  // One that was sent the server has accepted; it is an object.
  const body = lost.sent === null ? undefined : (requests[lost.sent]?.body as Body | undefined);
  return [answer + 1, body === undefined ? Infinity : answer + 4 * promptTokensOf(body)];
}

/** Where an abort kept it from going out it is of no account whether its effect had begun. */
const purposesOf = (lost: CutRequest | undefined, { type }: Fact): readonly (string | null)[] =>
  type === 'run.aborted' && lost?.sent === null ? [null, lost.purpose] : [lost?.purpose ?? null];

const purposeOf = (fact: Fact): string | null => ('abortedRequest' in fact ? fact.abortedRequest : null);
