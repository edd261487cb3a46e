/** A tool of your own, and a scripted model that calls it: no key, no network. */
import assert from 'node:assert/strict';
import { createAgent, defineTool, ToolError } from 'turnstile-agent';
import { scripted } from 'turnstile-agent/testing';
import { z } from 'zod';

const WEATHER: Readonly<Record<string, string>> = { Paris: '18 °C, sunny', Oslo: '7 °C, rain' };

const weather = defineTool({
  name: 'weather',
  description: 'Current weather of a city.',
  input: z.strictObject({ city: z.string() }),
  effects: 'none',
  run: ({ city }) => {
    const found = WEATHER[city];
    // Written for the model: what happened, and what would work.
    if (found === undefined)
      throw new ToolError(`No weather for ${city}. There is: ${Object.keys(WEATHER).join(', ')}.`);
    return found;
  },
});

const agent = createAgent({
  model: scripted([
    { call: [{ tool: 'weather', input: { city: 'Rome' } }] },
    { call: [{ tool: 'weather', input: { city: 'Paris' } }] },
    { say: 'In Paris it is {{last_result}}.' },
  ]),
  tools: [weather],
});

const result = await agent.start('What is the weather in Rome, or in Paris?').result;
assert(result.state === 'stopped');
assert.equal(result.reason, 'end_turn');
assert.equal(result.answer, 'In Paris it is 18 °C, sunny.');
console.log(result.answer);
