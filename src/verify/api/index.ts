/** Whether the Messages API would accept a request, in its order and its words. Pure. */
import { isKnownModel } from './models.ts';
import { checkHistory } from './history.ts';
import { checkParameters } from './parameters.ts';
import { checkShape } from './shape.ts';
import { checkTools } from './tools.ts';
import { invalid, isFields, type Refusal } from './values.ts';

export type { Refusal } from './values.ts';

export interface ValidateOptions {
  /** Header `anthropic-version`. */
  readonly version: string;
  /** Model ids beyond the known ones, or any. */
  readonly models?: readonly string[] | 'any';
  /** The last response was paused and goes back as it is: it may end as no other request may. */
  readonly continuesPause?: boolean;
}

/** @returns null when the API would accept the body, else how it refuses it */
export function validateRequest(
  body: unknown,
  { version, models, continuesPause = false }: ValidateOptions,
): Refusal | null {
  if (!isFields(body)) return invalid('Input does not match the expected shape.');
  return (
    checkShape(body, version) ??
    checkModel(String(body['model']), models) ??
    checkParameters(body) ??
    checkTools(body) ??
    checkHistory(body, version, continuesPause)
  );
}

const checkModel = (id: string, models: ValidateOptions['models']): Refusal | null =>
  isKnownModel(id, models) ? null : { status: 404, type: 'not_found_error', message: `model: ${id}` };
