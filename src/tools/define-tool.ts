import { z } from 'zod';
import { messageOf } from '../errors.ts';
import type { Confinement, ToolDefinition } from '../ports.ts';
import type { Redactor } from '../text/redact.ts';
import type { ToolTexts } from './texts.ts';

/** A failure that the model can do something about. Its message is written for the model. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

export interface ToolContext {
  readonly runId: string;
  /** The `tool_use` block's id, as the API or whatever server sent it. */
  readonly callId: string;
  /** The folder that the tools see, absolute. */
  readonly workdir: string;
  /** Fires when the call is to end: its time is up, or the run is stopped. */
  readonly signal: AbortSignal;
  readonly texts: ToolTexts;
  /** Folders that tools never see, absolute: the state folder of the run. */
  readonly hidden: readonly string[];
  /** Names of all tools of this run. A text names only these. */
  readonly tools: readonly string[];
  /**
   * Takes output as it comes. When the call is cut short, what was reported is what the model gets to see.
   * A tool that keeps its own bounded buffer calls it with the whole text so far.
   */
  readonly report: (textSoFar: string) => void;
  /**
   * Masks the secrets of this run. Results and errors are masked anyway: it is for a tool that cuts its output, since
   * half a secret is not recognised any more, and for one that keeps output elsewhere.
   */
  readonly redact: Redactor;
  /** A longer result is cut. */
  readonly maxOutputCharacters: number;
  /** Takes the name of a file that holds the whole output, for people. It stands in the fact, the model is not told. */
  readonly noteOutputFile: (name: string) => void;
}

/** Where the calls of a run are to work. */
export type ToolPlace = Pick<ToolContext, 'runId' | 'workdir' | 'hidden'>;

export interface Tool {
  readonly definition: ToolDefinition;
  /** How what it runs is confined; absent where it runs nothing. It stands in the journal. */
  readonly confinement?: Confinement;
  /**
   * Finds out, before anything is spent, whether calls can work there.
   * @throws {UserError} when they cannot
   */
  readonly setUp?: (place: ToolPlace) => void;
  /** `none`: it only reads, and may run beside others. */
  readonly effects: 'none' | 'some';
  readonly timeoutMs: number;
  /** The input, or what is wrong with it. */
  parse(
    input: unknown,
  ): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: z.ZodError };
  /** @throws {ToolError} for failures that the model is told about */
  run(input: unknown, context: ToolContext): Promise<string>;
  /**
   * What a call would change, for the person who is asked: a unified diff, say. It changes nothing itself.
   * @throws {ToolError} when the call would fail
   */
  preview?(input: unknown, context: ToolContext): Promise<string>;
}

export interface ToolSpec<Schema extends z.ZodObject> {
  /** Letters, digits, `_` and `-`, 64 at most. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  readonly input: Schema;
  readonly effects: 'none' | 'some';
  /** Longest time of one call, in milliseconds, above 0. Default 30,000. */
  readonly timeoutMs?: number;
  readonly confinement?: Confinement;
  readonly setUp?: (place: ToolPlace) => void;
  readonly run: (input: z.output<Schema>, context: ToolContext) => Promise<string> | string;
  /** What a call would change, for the person who is asked. It changes nothing, and throws what `run` would. */
  readonly preview?: (input: z.output<Schema>, context: ToolContext) => Promise<string> | string;
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** What the API allows for the fields of the input; those of objects within it are free. */
const FIELD = /^[a-zA-Z0-9_.-]{1,64}$/;
const DEFAULT_TIMEOUT_MS = 30_000;

/** Longest result, where the toolbox is not told otherwise. */
export const MAX_OUTPUT_CHARACTERS = 30_000;

/**
 * Makes a tool. Its input is checked against `input` before it runs, although the model was sent the schema.
 * @throws {TypeError} when the API would refuse the name or the schema, or another field is wrong; the message names the tool
 */
export function defineTool<Schema extends z.ZodObject>(spec: ToolSpec<Schema>): Tool {
  const { name, description, input, effects, timeoutMs = DEFAULT_TIMEOUT_MS, preview } = spec;
  if (!NAME.test(name)) {
    throw new TypeError(`Tool ${JSON.stringify(name)}: a name has 1 to 64 letters, digits, _ or -.`);
  }
  // Written in JavaScript, it may be anything; what is not `some` would run without being asked for.
  if (!['none', 'some'].includes(effects)) {
    throw new TypeError(`Tool ${name}: its effects are 'none' or 'some', not ${JSON.stringify(effects)}.`);
  }
  if (!(typeof timeoutMs === 'number' && timeoutMs > 0)) {
    throw new TypeError(`Tool ${name}: timeoutMs is a number above 0, not ${String(timeoutMs)}.`);
  }
  return {
    definition: { name, description, input_schema: schemaOf(name, input) },
    effects,
    timeoutMs,
    ...(spec.confinement !== undefined && { confinement: spec.confinement }),
    ...(spec.setUp !== undefined && { setUp: spec.setUp }),
    parse: (value) => {
      const parsed = input.safeParse(value);
      return parsed.success ? { ok: true, value: parsed.data } : { ok: false, error: parsed.error };
    },
    run: async (value, context) => spec.run(input.parse(value), context),
    ...(preview && { preview: async (value, context) => preview(input.parse(value), context) }),
  };
}

function schemaOf(name: string, input: z.ZodObject): ToolDefinition['input_schema'] {
  if (!(input instanceof z.ZodObject)) {
    throw new TypeError(`Tool ${name}: its input must be a zod object, so that calls have named fields.`);
  }
  const bad = Object.keys(input.shape).find((field) => !FIELD.test(field));
  if (bad !== undefined) {
    throw new TypeError(
      `Tool ${name}, field ${JSON.stringify(bad)}: a field has 1 to 64 letters, digits, _, - or dots.`,
    );
  }
  return { ...jsonSchemaOf(name, input), type: 'object' };
}

function jsonSchemaOf(name: string, input: z.ZodObject): Readonly<Record<string, unknown>> {
  try {
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
    return schema;
  } catch (cause) {
    // Not every zod type has a JSON Schema: a date, for one, has none.
    throw new TypeError(`Tool ${name}: its input has no JSON Schema: ${messageOf(cause)}.`, { cause });
  }
}
