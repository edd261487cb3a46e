/** An error for the person who started the run: what, where, and how to fix it. Nothing has been spent. */
export class UserError extends Error {
  override readonly name = 'UserError';
  /** Exit code of the command. */
  readonly exitCode: number;

  constructor(message: string, options: { readonly exitCode?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode ?? 2;
  }
}

/** Text of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
