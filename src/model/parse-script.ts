/** The form of a script: a JSON list of turns. An entry that is a list itself holds alternatives of one turn. */
import { z } from 'zod';
import { messageOf, UserError } from '../errors.ts';
import { checkTemplates } from './templates.ts';

export type ScriptTurn = Readonly<z.infer<typeof turnShape>>;
export type ScriptInput = readonly (z.input<typeof turnShape> | readonly z.input<typeof turnShape>[])[];

export interface Script {
  readonly name: string;
  /** Per turn its alternatives: the first one whose `when` holds is played. */
  readonly steps: readonly (readonly ScriptTurn[])[];
  /** Played when tools are disabled. */
  readonly summary: ScriptTurn | null;
}

/**
 * @param name of the script, for messages: a file name, say
 * @throws {UserError} that names the place, the problem, and what is allowed
 */
export function parseScript(json: unknown, name: string): Script {
  if (!Array.isArray(json))
    throw new UserError(`The script ${name} must be a JSON list of turns. ${allowed}`);
  const alternatives = json.map((entry: unknown): readonly unknown[] =>
    Array.isArray(entry) ? entry : [entry],
  );
  const parsed = z.array(z.array(turnShape).min(1)).min(1).safeParse(alternatives);
  if (!parsed.success) {
    const lines = parsed.error.issues.map(({ path, message }) => `\n  ${placeOf(path, json)}: ${message}`);
    throw new UserError(`The script ${name} cannot be read:${lines.join('')}\n${allowed}`);
  }
  const summaries = parsed.data.flat().filter(isSummary);
  if (summaries.length > 1)
    throw new UserError(`The script ${name} has ${summaries.length} summaries, one is allowed.`);
  return {
    name,
    steps: parsed.data
      .map((step) => step.filter((turn) => !isSummary(turn)))
      .filter((step) => step.length > 0),
    summary: summaries[0] ?? null,
  };
}

const isSummary = ({ when }: ScriptTurn): boolean => when === 'summary';

/** Every text in the value uses known templates only. */
const checkDeep = (value: unknown, context: z.RefinementCtx): void => {
  try {
    textsIn(value).forEach(checkTemplates);
  } catch (error) {
    context.addIssue({ code: 'custom', message: messageOf(error) });
  }
};

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const template = z.string().superRefine(checkDeep);

const count = z.number().int().nonnegative();

const turnShape = z
  .strictObject({
    say: template.min(1).optional(),
    thinking: template.optional(),
    call: z
      .array(
        z.strictObject({
          tool: z.string().min(1),
          input: z.record(z.string(), z.json()).superRefine(checkDeep).optional(),
        }),
      )
      .min(1)
      .optional(),
    stop_reason: z.string().min(1).optional(),
    usage: z.strictObject({ input_tokens: count.optional(), output_tokens: count.optional() }).optional(),
    fail: z
      .strictObject({
        status: z.number().int().min(400).max(599),
        type: z.string().min(1),
        message: template,
        times: z.number().int().min(1).default(1),
      })
      .optional(),
    when: z.enum(['summary', 'last_result_is_error', 'last_result_is_no_error']).optional(),
  })
  .refine(
    ({ say, call, fail, stop_reason: reason }) =>
      [say, call, fail, reason].some((part) => part !== undefined),
    'a turn needs at least one of say, call, fail and stop_reason',
  );

const allowed =
  'A turn is an object with any of: say (text), thinking (text), call (list of { tool, input }), stop_reason, ' +
  'usage ({ input_tokens, output_tokens }), fail ({ status, type, message, times }), ' +
  'when ("summary", "last_result_is_error" or "last_result_is_no_error").';

/** "turn 2, call.0.input.path", with the alternative where there are several. */
function placeOf([step, alternative, ...rest]: readonly PropertyKey[], json: readonly unknown[]): string {
  if (step === undefined) return 'the list';
  const choice = Array.isArray(json[Number(step)]) && alternative !== undefined;
  const turn = `turn ${Number(step) + 1}${choice ? `, alternative ${Number(alternative) + 1}` : ''}`;
  return rest.length === 0 ? turn : `${turn}, ${rest.map(String).join('.')}`;
}
