/** What the schema and the rules say of a call, before it is asked for or run. */
import type { Judgement } from '../ports.ts';
import { decidedBy, type Decide, type DecidedBy } from '../rules/decide.ts';
import type { Redactor } from '../text/redact.ts';
import type { Tool } from './define-tool.ts';
import { problemsOf, takesOf } from './input-problems.ts';
import { lineOf } from './line-of.ts';
import type { ToolTexts } from './texts.ts';

/** What a call is judged by. */
interface Bench {
  readonly byName: ReadonlyMap<string, Tool>;
  readonly decide: Decide;
  readonly approveAll?: boolean;
  readonly texts: ToolTexts;
  readonly redact: Redactor;
}

/**
 * Input is checked although the schema was sent. Nothing is coerced (a list sent as a JSON string, null for a missing
 * field): an error that names the field and what it takes is corrected by the model, a wrong guess is not noticed.
 */
export function judge(name: string, input: unknown, malformed: string | undefined, bench: Bench): Judgement {
  const { byName, decide, approveAll = false } = bench;
  const texts = bench.texts.toolbox;
  const names = [...byName.keys()];
  const tool = byName.get(name);
  if (tool === undefined)
    return { verdict: 'invalid', effects: 'none', refusal: texts.unknownTool(name, names), rule: null };
  const { effects } = tool;
  const read = readInput(tool, input, malformed, bench);
  if ('fault' in read) return { verdict: 'invalid', effects, refusal: read.fault, rule: null };
  const { verdict, by } = decide({ tool: name, parsed: read.value, sent: input }, { effects, approveAll });
  const refusal = verdict === 'deny' ? texts.deniedByRule(name, names, aboutOf(by)) : null;
  return { verdict, effects, refusal, rule: decidedBy(by) };
}

const aboutOf = (by: DecidedBy): 'tool' | 'call' =>
  typeof by === 'object' && by?.match !== undefined ? 'call' : 'tool';

/** The input as it would run, or what is wrong with it. */
function readInput(
  tool: Tool,
  input: unknown,
  malformed: string | undefined,
  { texts: { toolbox: texts }, redact }: Bench,
): { readonly value: unknown } | { readonly fault: string } {
  const { name } = tool.definition;
  const takes = takesOf(tool.definition);
  if (malformed !== undefined) return { fault: texts.malformedInput(name, redact(malformed), takes) };
  try {
    const parsed = tool.parse(input);
    return parsed.ok
      ? { value: parsed.value }
      : { fault: texts.invalidInput(name, problemsOf(parsed.error), takes) };
  } catch (error) {
    // A check of the host's schema threw, or is asynchronous.
    return { fault: texts.failed(name, lineOf(error, redact)) };
  }
}
