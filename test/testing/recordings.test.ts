import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validateRequest, verifyHistory } from '../../src/testing/index.ts';

const FOLDER =
  process.env['TURNSTILE_RECORDINGS'] ??
  fileURLToPath(new URL('../../../shared/recordings', import.meta.url));
const isThere = existsSync(FOLDER);

/** Accepted when they were recorded; the strict server refuses them all the same, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'DataDog-dd-trace-py/anthropic_completion_tools_call_with_tool_result_stream':
    'its result names another call than the one before it: the cassette was matched loosely, the API never saw this pair',
  'simonw-llm-anthropic/test_tools-2': 'older than the check for blank text blocks of the assistant',
};

/** Refused when they were recorded, for what the body does not show. */
const NOT_IN_THE_BODY: Readonly<Record<string, string>> = {
  'anthropics-anthropic-sdk-python/d743d628-16aa-4c9f-ae78-51deb578f746-1': 'a rate limit',
  'crmne-ruby_llm/chat_error_handling_with_anthropic_claude-haiku-4-5_raises_appropriate_auth_error':
    'a wrong key',
  'crmne-ruby_llm/chat_real_error_scenarios_anthropic_claude-haiku-4-5_handles_context_length_exceeded_error':
    'the long prompt was shortened in the recording',
};

/** Refused with 404: `verifyHistory` takes any model, since servers have models of their own. */
const NO_SUCH_MODEL: Readonly<Record<string, string>> = {
  'Mirascope-mirascope/wraps-api-errors-on-stream-call': 'invalid-model-that-does-not-exist-12345',
  'braintrustdata-braintrust-sdk-python/test_anthropic_client_error': 'there-is-no-such-model',
  'pydantic-pydantic-ai/test_model_name_suggestion-anthropic': 'claude-sonet-4-5',
};

interface Recorded {
  readonly name: string;
  readonly body: unknown;
  readonly isRefused: boolean;
}

function recorded(): readonly Recorded[] {
  if (!isThere) return [];
  const errors = new Set(
    readFileSync(join(FOLDER, 'INDEX.tsv'), 'utf8')
      .split('\n')
      .map((row) => row.split('\t'))
      .filter(([, kind]) => kind === 'error')
      .map(([file]) => file?.replace(/\.json$/, '')),
  );
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: folder }) =>
      readdirSync(join(FOLDER, folder))
        .filter((file) => file.endsWith('.request.json'))
        .map((file) => {
          const name = `${folder}/${file.replace('.request.json', '')}`;
          const body: unknown = JSON.parse(readFileSync(join(FOLDER, folder, file), 'utf8'));
          return { name, body, isRefused: errors.has(name) };
        }),
    );
}

const all = recorded();
const accepted = all.filter(({ isRefused }) => !isRefused);
const refused = all.filter(({ isRefused }) => isRefused);
const without = isThere ? '' : ' (skipped: the recordings are not on this machine)';

describe.skipIf(!isThere)(`recorded requests${without}`, () => {
  it('are 358, of which the API had accepted 347 and refused 11', () => {
    expect([all.length, accepted.length, refused.length]).toEqual([358, 347, 11]);
  });

  it('that the API had accepted are accepted: 345 of 347, the other 2 are named above with the reason', () => {
    const wrong = accepted.filter(({ body }) =>
      validateRequest(body, { version: '2023-06-01', models: 'any' }),
    );
    expect(wrong.map(({ name }) => name).toSorted()).toEqual(Object.keys(EXCEPTIONS).toSorted());
  });

  it('have the verdict of the API from verifyHistory: 350 of 358, the other 8 are named above', () => {
    const differing = all.filter(({ body, isRefused }) => {
      const words = verifyHistory(body, { version: '2023-06-01' });
      return (words !== null) !== isRefused;
    });
    const known = { ...EXCEPTIONS, ...NOT_IN_THE_BODY, ...NO_SUCH_MODEL };
    expect(differing.map(({ name }) => name).toSorted()).toEqual(Object.keys(known).toSorted());
  });

  it('that the API had accepted have messages that stand for themselves: 345 of 347', () => {
    const wrong = accepted.filter(({ body }) => {
      const messages: unknown = Reflect.get(body as object, 'messages');
      return verifyHistory(messages, { version: '2023-06-01' }) !== null;
    });
    expect(wrong.map(({ name }) => name).toSorted()).toEqual(Object.keys(EXCEPTIONS).toSorted());
  });

  it('that the API had refused are refused: 8 of 11, the other 3 for what the body does not show', () => {
    const wrong = refused.filter(({ body }) => validateRequest(body, { version: '2023-06-01' }) === null);
    expect(wrong.map(({ name }) => name).toSorted()).toEqual(Object.keys(NOT_IN_THE_BODY).toSorted());
  });

  it('are refused with the words of the API where the recording has them', () => {
    const words = refused
      .filter(({ name }) => !(name in NOT_IN_THE_BODY))
      .map(({ name, body }) => {
        const response = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as {
          readonly body: { readonly error: { readonly message: string } };
        };
        return [validateRequest(body, { version: '2023-06-01' })?.message, response.body.error.message];
      });
    for (const [ours, theirs] of words) expect(ours).toBe(theirs);
  });
});
