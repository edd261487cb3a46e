/** Input of a tool call, read strictly. A repaired input is a guess, and tools must never run on a guess. */
import { isObject, parseJson, wellFormed } from './json.ts';

export interface ToolInput {
  readonly input: unknown;
  /** What was sent, where it was no JSON object. */
  readonly malformed: string | null;
}

/**
 * @param json the concatenated fragments; blank when the call has no arguments or came whole
 * @param placeholder `input` of the block as it began
 */
export function readToolInput(json: string, placeholder: unknown): ToolInput {
  if (json.trim() !== '') return objectOf(parseJson(json)) ?? malformed(json);
  if (placeholder === undefined || placeholder === null || placeholder === '')
    return { input: {}, malformed: null };
  return objectOf(placeholder) ?? malformed(JSON.stringify(placeholder));
}

function objectOf(value: unknown): ToolInput | null {
  if (!isObject(value) || !isSendable(value, MAX_DEPTH)) return null;
  try {
    return { input: wellFormed(value), malformed: null };
  } catch {
    // Nested so deeply that nothing behind this point could read it either.
    return null;
  }
}

/** Deeper than any real input; what is far deeper could not be written as JSON again. */
const MAX_DEPTH = 200;

/** `1e999` reads as Infinity, which JSON cannot say. */
function isSendable(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isSendable(item, depth - 1));
}

function malformed(text: string): ToolInput {
  const raw = text.toWellFormed();
  return { input: { INVALID_JSON: raw }, malformed: raw };
}
