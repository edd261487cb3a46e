/** The JSON shape of rules. A file of them may be hostile: nothing here can take long, whatever it says. */
import { braceExpand } from 'minimatch';
import { RE2JS } from 're2js';
import { z } from 'zod';
import { messageOf } from '../errors.ts';
import type { Matcher, Rule } from '../ports.ts';

/** Longest glob, piece of text or regular expression, in characters. */
const MAX_TEXT = 1_000;
const MAX_ALTERNATIVES = 100;
/** Instructions of a compiled regular expression. A search takes at most this many steps for each character. */
const MAX_PROGRAM = 300;
/** Of all regular expressions of a run together. */
const MAX_PROGRAMS = 3_000;
const MAX_RULES = 1_000;

const text = z
  .string()
  .min(1, 'It must not be empty.')
  .max(MAX_TEXT, `It has ${MAX_TEXT} characters at most.`)
  .refine((value) => value.isWellFormed(), 'It holds half a character.');

const glob = text.refine(
  (value) => braceExpand(value, { braceExpandMax: MAX_ALTERNATIVES + 1 }).length <= MAX_ALTERNATIVES,
  `Its braces stand for more than ${MAX_ALTERNATIVES} globs. Write several rules.`,
);

const regex = text.superRefine((value, context) => {
  const fault = faultOfRegex(value);
  if (fault !== null) context.addIssue({ code: 'custom', message: fault });
});

const size = z.int().min(0);
const argument = z.string().regex(/^[\w.-]{1,64}$/, 'An argument has letters, digits, _, - or dots.');

export const matcherSchema: z.ZodType<Matcher> = z.union(
  [
    z.strictObject({ argument, glob }),
    z.strictObject({ argument, contains: text }),
    z.strictObject({ argument, regex }),
    z.strictObject({ argument, atLeast: size }),
    z.strictObject({ argument, atMost: size }),
  ],
  {
    error: ({ input, errors }) => whyNoMatcher(input, errors),
  },
);

export const toolSchema = z
  .string()
  .regex(/^(\*|[\w-]{1,64})$/, 'A tool has letters, digits, _ or -; * stands for all tools.');

const ruleSchema: z.ZodType<Rule> = z.strictObject({
  tool: toolSchema,
  verdict: z.enum(['allow', 'ask', 'deny']),
  match: matcherSchema.exactOptional(),
});

export const rulesSchema = z
  .array(ruleSchema)
  .max(MAX_RULES, `There are ${MAX_RULES} rules at most.`)
  .refine(
    (rules) => rules.reduce((sum, { match }) => sum + programOf(match), 0) <= MAX_PROGRAMS,
    'The regular expressions are too large together. Use fewer, or shorter ones.',
  );

const KINDS = ['glob', 'contains', 'regex', 'atLeast', 'atMost'] as const;

/** What is wrong in the one shape that was meant; a union of five would list them all. */
function whyNoMatcher(input: unknown, errors: unknown): string {
  const found = KINDS.filter((kind) => typeof input === 'object' && input !== null && kind in input);
  const [kind, ...more] = found;
  if (kind === undefined || more.length > 0 || !Array.isArray(errors))
    return `A match has an argument and one of ${KINDS.join(', ')}.`;
  const issues: readonly unknown[] = errors[KINDS.indexOf(kind)] ?? [];
  const messages = issues.flatMap((issue) =>
    typeof issue === 'object' && issue !== null && 'message' in issue ? [String(issue.message)] : [],
  );
  return messages.join(' ');
}

function faultOfRegex(value: string): string | null {
  try {
    const instructions = RE2JS.compile(value).programSize();
    return instructions <= MAX_PROGRAM
      ? null
      : `It is too large (${instructions} steps for a character, ${MAX_PROGRAM} are the most). Repeat less.`;
  } catch (error) {
    return `It is no regular expression of RE2, which has no look-around and no back references: ${messageOf(error)}.`;
  }
}

function programOf(match: Matcher | undefined): number {
  if (match === undefined || !('regex' in match)) return 0;
  try {
    return RE2JS.compile(match.regex).programSize();
  } catch {
    // Said of the rule itself.
    return 0;
  }
}
