import { guards } from '../../machines/index.ts';
import { fitMaxTokens, promptBound, requestBound, textBound } from '../budget/bounds.ts';
import { costOf } from '../budget/cost.ts';
import { historyOf } from '../history/history.ts';
import { heardBy, requestOf } from '../history/request.ts';
import type { Fact, ModelReply, ModelRequest, Ports } from '../ports.ts';
import type { EffectEnd, PerformEffect, RunView } from './effect.ts';
import { factOf, type Asked } from './model-facts.ts';
import { asReply, brokenReply, gaveUp } from './model-replies.ts';

/** Asks for the next turn. */
export const callModel: PerformEffect = (run, ports, signal) =>
  ask(run, ports, signal, 'turn', guards.isToolless(run.context));

/** Asks for the final summary: tools stay defined but disabled, and the model is told to answer now. */
export const askForSummary: PerformEffect = (run, ports, signal) => ask(run, ports, signal, 'summary', true);

/** One request, once. Retries are the machine's: each attempt is a fact with its cost. */
async function* ask(
  run: RunView,
  ports: Ports,
  signal: AbortSignal,
  kind: Asked['kind'],
  isWithoutTools: boolean,
): AsyncGenerator<Fact, EffectEnd, void> {
  const { clock } = ports;
  const facts = run.facts.slice(0, run.since);
  const asked = prepare({ ...run, facts }, ports, kind, isWithoutTools);
  const startedAt = clock.now();
  const reply = await send(ports, asked.request, signal);
  const durationMs = Math.round(clock.now() - startedAt);
  if (reply.kind === 'aborted') {
    const cost =
      reply.billing === 'unknown' ? asked.worstCost : costOf(reply.usage ?? NOTHING_USED, run.header.price);
    const { usage, billing } = reply;
    return { end: 'aborted', bill: { abortedRequest: kind, usage, billing, durationMs, cost } };
  }
  yield await factOf(reply, { ...asked, durationMs }, run, ports, signal);
  return undefined;
}

/** How long an aborted model may take to say what its request had cost. Less than the driver waits for the effect. */
const DEAF_MS = 1_500;

async function send(
  { model, onDelta, clock }: Ports,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ModelReply> {
  const settled = new AbortController();
  try {
    const reply = asReply(
      await Promise.race([model.send(request, { signal, onDelta }), deaf(clock, signal, settled.signal)]),
    );
    return reply.kind === 'aborted' && !signal.aborted ? gaveUp(reply) : reply;
  } catch (error) {
    return brokenReply(error);
  } finally {
    settled.abort();
  }
}

/** A model that goes on after the signal is not waited for: what it will cost is not known. */
async function deaf(clock: Ports['clock'], signal: AbortSignal, settled: AbortSignal): Promise<ModelReply> {
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true, signal: settled });
  });
  await clock.sleep(DEAF_MS, settled);
  return { kind: 'aborted', usage: null, billing: 'unknown' };
}

const NOTHING_USED = { input_tokens: 0, output_tokens: 0 };

/** The request that asks for the next response in this state, and what its fact will have to say. */
export function prepare(
  { header, facts, context }: Omit<RunView, 'since'>,
  { model, texts }: Pick<Ports, 'model' | 'texts'>,
  kind: Asked['kind'],
  isWithoutTools: boolean,
): Omit<Asked, 'durationMs'> {
  const history = historyOf(header, facts);
  const instruction = kind === 'summary' && !history.isPaused ? summaryText(context.cause, texts) : null;
  const prompt = promptBound(header, facts) + (instruction === null ? 0 : textBound(instruction));
  const wanted = Math.min(header.maxTokens * 2 ** context.growths, model.limits.maxTokens);
  const { price } = header;
  const { budget } = context.limits;
  const maxTokens = fitMaxTokens({ request: kind, wanted, prompt, price, budget, spent: context.spent });
  const request: ModelRequest = requestOf(header, history, {
    maxTokens,
    isToolless: isWithoutTools,
    instruction,
  });
  return {
    kind,
    request,
    instruction,
    prompt,
    heard: heardBy(history),
    worstCost: requestBound(prompt, maxTokens, price),
  };
}

/** Only these causes lead to a summary. */
const summaryText = (cause: RunView['context']['cause'], texts: Ports['texts']): string =>
  texts.summary(cause === 'budget' || cause === 'stuck' ? cause : 'max_turns');
