/** What a run has when nothing else is said. docs/cli.md lists them for users. */

export const DEFAULT_MODEL = 'claude-haiku-5-5';
export const DEFAULT_EFFORT = 'medium';
/** `max_tokens` of a request. */
export const DEFAULT_MAX_TOKENS = 16_000;

export const DEFAULT_SYSTEM = `You are an agent that works on a task with the tools you are given. The files of the task are in one folder, the workspace; paths are relative to it.

Find out what you need to know with the tools; do not guess what a file says. Make independent calls in one turn. When a tool fails, read its error: it says what is allowed and what to try next. When the user denies a call, do not look for a way around it.

Answer in the language of the task. Be short, and say how you got the answer.`;

export const DEFAULT_LIMITS = {
  maxTurns: 10,
  maxRetries: 4,
  maxGrowths: 2,
  maxContinuations: 5,
  stuckAfter: 3,
} as const;
