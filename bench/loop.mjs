// What the loop itself costs: the same scripted run of 40 turns, through Turnstile and through a bare `while`.
// The model and the tools cost nothing, so what is left is machine, facts, history and journal.
//   npm run build && node bench/loop.mjs
import { createAgent, defineTool } from 'turnstile-agent';
import { scripted } from 'turnstile-agent/testing';
import { z } from 'zod';

const TURNS = 40;
const ROUNDS = 20;

const script = [
  ...Array.from({ length: TURNS - 1 }, (_, n) => ({ call: [{ tool: 'echo', input: { text: String(n) } }] })),
  { say: 'Done.' },
];
const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.strictObject({ text: z.string() }),
  effects: 'none',
  run: ({ text }) => text,
});

async function turnstile() {
  const agent = createAgent({ model: scripted(script), tools: [echo], limits: { maxTurns: TURNS + 1 } });
  const { turns } = await agent.start('Go.').result;
  if (turns !== TURNS) throw new Error(`${turns} turns`);
}

async function bareLoop() {
  const model = scripted(script);
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Go.' }] }];
  for (;;) {
    const request = { model: 'm', max_tokens: 16_000, tools: [echo.definition], messages };
    const reply = await model.send(request, { signal: new AbortController().signal, onDelta: () => {} });
    messages.push({ role: 'assistant', content: reply.message.content });
    if (reply.message.stopReason !== 'tool_use') return;
    const calls = reply.message.content.filter(({ type }) => type === 'tool_use');
    messages.push({
      role: 'user',
      content: calls.map(({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: input.text })),
    });
  }
}

async function best(run) {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    await run();
    least = Math.min(least, performance.now() - startedAt);
  }
  return least;
}

await turnstile();
await bareLoop();
const [ours, bare] = [await best(turnstile), await best(bareLoop)];
const perTurn = (ms) => `${((ms / TURNS) * 1_000).toFixed(0)} µs a turn`;
console.log(`turnstile ${perTurn(ours)}, bare loop ${perTurn(bare)}, ratio ${(ours / bare).toFixed(1)}`);
