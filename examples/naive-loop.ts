/** The loop that everybody writes first. It looks right. */
import assert from 'node:assert/strict';
import { buildKit, createStage, tryLoop, type KitPath, type KitWorld } from 'turnstile-agent/testing';

interface Block {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly text?: string;
}

async function naiveLoop({ baseURL, task, maxTurns, tools, runTool }: KitWorld): Promise<string> {
  const messages: unknown[] = [{ role: 'user', content: task }];
  let answer = '';
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const response = await fetch(`${baseURL}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'none', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'claude-haiku-5-5', max_tokens: 1_024, tools, messages }),
    });
    const { content, stop_reason: stopReason } = (await response.json()) as {
      readonly content: readonly Block[];
      readonly stop_reason: string;
    };
    messages.push({ role: 'assistant', content });
    answer = content.findLast(({ type }) => type === 'text')?.text ?? '';
    if (stopReason !== 'tool_use') return answer;
    const results = [];
    for (const { type, id, name, input } of content) {
      if (type !== 'tool_use') continue;
      const result = await runTool({ id, name, input }).catch((error: unknown) => String(error));
      results.push({ type: 'tool_result', tool_use_id: id, content: result });
    }
    messages.push({ role: 'user', content: results });
    answer = '';
  }
  return answer;
}

const stage = await createStage({ workspace: 'workspace', python: 'python3' });
const paths: KitPath[] = [];
try {
  const batches = [['read a'], ['read a', 'read b']] as const;
  const configurations = [
    { name: 'two turns', maxTurns: 2, maxRetries: 0, batches },
    { name: 'odd responses', maxTurns: 1, maxRetries: 0, batches, hasOddResponses: true },
  ];
  for (const configuration of configurations) {
    for await (const path of buildKit(configuration, stage)) paths.push(path);
  }
} finally {
  await stage.close();
}

const holes = await tryLoop(paths, naiveLoop);
const faults = new Set(
  holes.flatMap((hole) => hole.faults.map((fault) => fault.replaceAll(/toolu_\w+/g, '…'))),
);
// The two that started all this: tools run at the turn limit for nobody, and then there is no answer.
assert(faults.has('The call … ran, and the model never saw its result, or it must not run.'));
assert(faults.has('The answer is empty.'));
console.log(
  `${holes.length} of ${paths.length} paths find a hole:\n- ${[...faults].toSorted().join('\n- ')}`,
);
