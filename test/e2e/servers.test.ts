import { LLMock } from '@copilotkit/aimock';
import { describe, expect, it } from 'vitest';
import { says, toolUse } from '../../src/testing/index.ts';
import { cleanUps, folderWith, keyed, serverOf, transcriptIn, turnstile } from './command.ts';

const TASK = 'scores.csv 里平均分是多少？';
const FILES = { 'work/scores.csv': 'name,score\n甲,80\nB,83\n' };
const ARGS = [TASK, '--workdir', 'work', '--tools', 'read_file', '--transcript', 't.json'];

/** A mock by somebody else. */
async function aimock(): Promise<Readonly<Record<string, string>>> {
  const mock = new LLMock({ port: 0 });
  mock.onTurn(0, /平均分/, {
    toolCalls: [{ name: 'read_file', arguments: JSON.stringify({ path: 'scores.csv' }) }],
  });
  mock.onTurn(1, /.*/, { content: '平均分是 81.5。' });
  const url = await mock.start();
  cleanUps.push(() => mock.stop());
  return { ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: url };
}

const strict = async (): Promise<Readonly<Record<string, string>>> =>
  keyed(await serverOf([says(toolUse('read_file', { path: 'scores.csv' })), says('平均分是 81.5。')]));

describe('the same task', () => {
  it.each([
    { server: 'the strict server in another process', start: strict },
    { server: "somebody else's mock of the Messages API", start: aimock },
  ])('is the same kind of run against $server', async ({ start }) => {
    const folder = await folderWith(FILES);
    const ended = await turnstile(ARGS, { cwd: folder, env: await start() });
    expect(ended).toMatchObject({ code: 0, stdout: '平均分是 81.5。\n' });
    const { turns, messages } = await transcriptIn(folder);
    expect(turns.map(({ stop_reason: reason }) => reason)).toEqual(['tool_use', 'end_turn']);
    expect(turns[0]?.calls).toMatchObject([{ name: 'read_file', outcome: 'succeeded', verdict: 'allow' }]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(messages[2]?.content).toMatchObject([{ type: 'tool_result', content: FILES['work/scores.csv'] }]);
  });

  it('needs no key where a server is named, and says which with --base-url', async () => {
    const server = await serverOf([says('Done.')]);
    const ended = await turnstile(['do it', '--tools', 'read_file', '--base-url', server.url], {
      cwd: await folderWith(),
    });
    expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
  });

  it.each(['--dotenv', '--env-file'])(
    'takes the key from a file that %s names; the environment beats it, and it is masked as well',
    async (option) => {
      const replies = [says(toolUse('read_file', { path: 'my.env' })), says('Done.')];
      const server = await serverOf(replies, { apiKeys: ['key-of-the-file'] });
      const folder = await folderWith({
        'my.env': `ANTHROPIC_API_KEY=key-of-the-file\nANTHROPIC_BASE_URL=${server.url}\n`,
      });
      const args = ['do it', '--tools', 'read_file', option, 'my.env'];
      expect(await turnstile(args, { cwd: folder })).toMatchObject({ code: 0 });
      expect(JSON.stringify(server.requests[1]?.body)).toContain('ANTHROPIC_API_KEY=[redacted]');
      expect(await turnstile(args, { cwd: folder, env: { ANTHROPIC_API_KEY: 'another' } })).toMatchObject({
        code: 7,
      });
    },
  );
});
