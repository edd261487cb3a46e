import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRedactor } from '../../src/text/redact.ts';
import { defineTool, ToolError, type Tool } from '../../src/tools/define-tool.ts';
import { boxWith, never } from './box.ts';

const SECRET = 'sk-secret-123456';

type Preview = () => string | Promise<string>;

const toolWith = (preview?: Preview): Tool =>
  defineTool({
    name: 'change',
    description: 'Changes something.',
    input: z.strictObject({ to: z.string() }),
    effects: 'some',
    run: () => 'ok',
    ...(preview && { preview }),
  });

const toThrow = (error: Error): Preview => {
  return () => {
    throw error;
  };
};

describe('what a call would change', () => {
  it.each([
    { what: 'is what its tool says', tool: toolWith(() => '+a'), gives: '+a' },
    { what: 'is masked', tool: toolWith(() => `+${SECRET}`), gives: '+[redacted]' },
    { what: 'is well-formed', tool: toolWith(() => '+\ud800'), gives: '+\ufffd' },
    { what: 'is not known of other tools', tool: toolWith(), gives: null },
    { what: 'is not known where the tool breaks', tool: toolWith(toThrow(new Error('no'))), gives: null },
    {
      what: 'is why it would fail',
      tool: toolWith(toThrow(new ToolError(`It holds ${SECRET}.`))),
      gives: 'This call would fail: It holds [redacted].',
    },
    {
      what: 'is no text',
      tool: { ...toolWith(), preview: () => Promise.resolve(JSON.parse('7')) },
      gives: null,
    },
  ])('$what', async ({ tool, gives }) => {
    const box = boxWith({ tools: [tool], redact: createRedactor([SECRET]) });
    expect(await box.preview?.({ id: 'a', name: 'change', input: { to: 'b' } }, never)).toBe(gives);
  });

  it.each([
    { name: 'change', input: { from: 'b' } },
    { name: 'none', input: {} },
  ])('is not known of $name with $input', async (call) => {
    const box = boxWith({ tools: [toolWith(() => '+a')] });
    expect(await box.preview?.({ id: 'a', ...call }, never)).toBeNull();
  });

  it('is not told where it cannot be masked', async () => {
    const redact = (): string => {
      throw new Error('no mask');
    };
    for (const preview of [() => '+a', toThrow(new ToolError('no'))]) {
      const box = boxWith({ tools: [toolWith(preview)], redact });
      expect(await box.preview?.({ id: 'a', name: 'change', input: { to: 'b' } }, never)).toBeNull();
    }
  });
});
