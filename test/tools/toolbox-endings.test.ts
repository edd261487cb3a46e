/** What is left of a call that is cut short, and what a tool is told. */
import { EventEmitter, getEventListeners, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, ToolError, type Tool, type ToolContext } from '../../src/tools/define-tool.ts';
import { bare } from '../../src/tools/texts.ts';
import { boxWith, never } from './box.ts';

type Run = Parameters<typeof defineTool>[0]['run'];

const tool = (run: Run, timeoutMs = 30_000): Tool =>
  defineTool({ name: 't', description: '', input: z.strictObject({}), effects: 'none', run, timeoutMs });

const runIn = (only: Tool, signal = never, options = {}) =>
  boxWith({ tools: [only], ...options }).run({ id: 'a', name: 't', input: {} }, signal);

const forever = (): Promise<never> => new Promise(() => undefined);

describe('a tool that does not end when it is told to', () => {
  it.each([
    { because: 'its time is up', timeoutMs: 10, stopAfterMs: null, kind: 'timed_out' },
    { because: 'the run is stopped', timeoutMs: 30_000, stopAfterMs: 10, kind: 'interrupted' },
  ])('because $because is abandoned, as $kind', async ({ timeoutMs, stopAfterMs, kind }) => {
    const signal = stopAfterMs === null ? never : AbortSignal.timeout(stopAfterMs);
    const deaf = tool((_, { report }) => {
      report('first');
      report('first and second');
      return forever();
    }, timeoutMs);
    const outcome = await runIn(deaf, signal, { graceMs: 10, texts: bare });
    expect(outcome.kind).toBe(kind);
    expect(outcome.content).toMatch(/\n\nOutput until then:\n\nfirst and second$/);
  });

  it('and throws once it is abandoned throws at nobody', async () => {
    const resumed = new EventEmitter();
    const late = tool(async () => {
      await once(resumed, 'now');
      throw new ToolError('too late');
    }, 10);
    const outcome = await runIn(late, never, { graceMs: 10, texts: bare });
    // Vitest fails a test file in which a rejection was not handled.
    resumed.emit('now');
    await new Promise(setImmediate);
    expect(outcome).toEqual({ kind: 'timed_out', content: 't was stopped after 0.01 s.', afterMs: 10 });
  });
});

describe('a tool that is told to end', () => {
  it('because it takes too long leaves what it reported (D10)', async () => {
    const slow = tool(
      (_, { signal, report }) =>
        new Promise((_resolve, reject) => {
          report('half of it');
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        }),
      20,
    );
    expect(await runIn(slow)).toEqual({
      kind: 'timed_out',
      afterMs: 20,
      content: expect.stringMatching(/after 0\.02 s[^]*half of it/),
    });
  });

  it('has the time to report once more', async () => {
    const stop = new AbortController();
    const polite = tool((_, { report, signal }) => {
      signal.addEventListener('abort', () => report('the last word'));
      stop.abort();
      return new Promise(() => undefined);
    });
    expect(await runIn(polite, stop.signal, { graceMs: 10 })).toMatchObject({
      content: expect.stringContaining('the last word'),
    });
  });

  it('before it began does not begin, and the model is told so', async () => {
    let hasBegun = false;
    const eager = tool(() => {
      hasBegun = true;
      return 'ok';
    });
    expect(await runIn(eager, AbortSignal.abort())).toEqual({
      kind: 'interrupted',
      content: expect.stringMatching(/^Not run/),
    });
    expect(hasBegun).toBe(false);
  });
});

describe('a tool', () => {
  it('is told where it works, with which other tools, and in which words it speaks', async () => {
    let seen: ToolContext | undefined;
    const curious = tool((_, context) => {
      seen = context;
      return 'ok';
    });
    await runIn(curious, never, { workdir: '/w', hidden: ['/w/private'], texts: bare });
    expect(seen).toMatchObject({ workdir: '/w', hidden: ['/w/private'], tools: ['t'], texts: bare });
    expect(seen?.signal.aborted).toBe(false);
  });

  it('leaves nothing behind at the signal of the run', async () => {
    const { signal } = new AbortController();
    for (let call = 0; call < 20; call += 1)
      await runIn(
        tool(() => 'ok'),
        signal,
      );
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('that reports something other than text is cut short all the same', async () => {
    const odd = tool((_, { report }) => {
      // What JavaScript would let through.
      report(undefined as unknown as string);
      return forever();
    }, 10);
    expect(await runIn(odd, never, { graceMs: 10 })).toMatchObject({ kind: 'timed_out' });
  });
});

describe('what was reported', () => {
  it.each([
    {
      maxOutputCharacters: 200,
      content: /^t was stopped after 0\.01 s\.[^]*\[\d+ characters left out here\][^]*🚀$/u,
    },
    { maxOutputCharacters: 30_000, content: /until then:\n\na(🚀){2000}$/u },
  ])('is cut between characters to $maxOutputCharacters (A20)', async ({ maxOutputCharacters, content }) => {
    const wordy = tool((_, { report }) => {
      report(`a${'🚀'.repeat(2_000)}`);
      return forever();
    }, 10);
    const outcome = await runIn(wordy, never, { graceMs: 10, texts: bare, maxOutputCharacters });
    expect(outcome.content.isWellFormed()).toBe(true);
    expect(outcome.content).toMatch(content);
  });

  it('is masked too, and before it is cut (D14)', async () => {
    const redact = (text: string): string => text.replaceAll('sk-secret-1', '[redacted]');
    const leaky = tool(() => `${'a'.repeat(45)}sk-secret-1${'b'.repeat(45)}`);
    const { content } = await runIn(leaky, never, { redact, maxOutputCharacters: 99 });
    expect(content).not.toMatch(/sk-|secret/);
  });
});
