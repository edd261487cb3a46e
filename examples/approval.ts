/** Deciding in code which calls may run. A denial is no error: the model gets it as a result. */
import assert from 'node:assert/strict';
import { createAgent, defineTool } from 'turnstile-agent';
import { scripted } from 'turnstile-agent/testing';
import { z } from 'zod';

const sent: string[] = [];

const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail.',
  input: z.strictObject({ to: z.string(), text: z.string() }),
  effects: 'some',
  run: ({ to }) => {
    sent.push(to);
    return 'sent';
  },
});

const mailTo = (to: string) => ({ tool: 'send_mail', input: { to, text: 'Hello' } });

const agent = createAgent({
  model: scripted([
    { call: [mailTo('team@example.org'), mailTo('everybody@example.com')] },
    { say: 'The team has the mail.' },
  ]),
  tools: [sendMail],
  approve: async (call) =>
    JSON.stringify(call.input).includes('@example.org')
      ? { decision: 'approve' }
      : { decision: 'deny', reason: 'only addresses at example.org' },
});

const run = agent.start('Tell the team and everybody.');
const outcomes: string[] = [];
for await (const event of run) {
  if (event.type === 'tool.finished') outcomes.push(event.outcome.kind);
}
assert.deepEqual(outcomes, ['succeeded', 'denied']);
assert.deepEqual(sent, ['team@example.org']);
console.log(outcomes.join(', '));
