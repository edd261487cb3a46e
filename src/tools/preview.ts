import { ToolError, type Tool, type ToolContext } from './define-tool.ts';

/** What a call would change, masked, or why it would fail; null where its tool cannot tell. Never throws. */
export async function previewOf(
  tool: Tool | undefined,
  input: unknown,
  context: ToolContext,
): Promise<string | null> {
  try {
    // Written in JavaScript, a tool may give back anything.
    const preview: unknown = await tool?.preview?.(input, context);
    return typeof preview === 'string' ? context.redact(preview.toWellFormed()) : null;
  } catch (error) {
    return error instanceof ToolError ? failure(error, context) : null;
  }
}

function failure({ message }: ToolError, { redact }: ToolContext): string | null {
  try {
    return `This call would fail: ${redact(message.toWellFormed())}`;
  } catch {
    return null;
  }
}
