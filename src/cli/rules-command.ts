/** `turnstile rules`: which rules hold here, and what they say of a call. Nothing runs. */
import { UserError } from '../errors.ts';
import type { Judgement, Rule } from '../ports.ts';
import { compareRules } from '../rules/decide.ts';
import { printRule } from '../rules/text.ts';
import { visible, visibleLine } from '../text/visible.ts';
import { instructive } from '../tools/texts.ts';
import { createToolbox } from '../tools/toolbox.ts';
import { folderOf } from '../workdir.ts';
import { EXIT } from './exit-codes.ts';
import { jsonOf, writeAll, type Io } from './io.ts';
import { judgingTools } from './judging-tools.ts';
import { ruleOf } from './lines.ts';
import { masked, redactorOf } from './masked.ts';
import { ruleWarnings, rulesFor, sourcedRules, withProjectFile, type RuleOptions } from './rules.ts';

export interface RulesOptions extends RuleOptions {
  readonly workdir: string;
  readonly tools: readonly string[];
  readonly yes?: boolean;
  readonly json?: boolean;
}

/**
 * @param words nothing, or `check` and a call
 * @throws {UserError} when they are something else, or the call is none
 */
export async function runRules(words: readonly string[], given: RulesOptions, io: Io): Promise<number> {
  const options = await withProjectFile(given, { withLimits: false, env: io.env });
  const tools = judgingTools(options.tools);
  const warnings = ruleWarnings(
    options,
    tools.map(({ definition }) => definition),
  );
  for (const warning of warnings) await writeAll(io.stderr, redactorOf(io)(`${warning}\n`));
  const [verb, call, ...more] = words;
  if (verb === undefined) return list(options, io);
  if (verb.toLowerCase() !== 'check' || call === undefined || more.length > 0)
    throw new UserError(`Write: turnstile rules check 'TOOL {"argument": "…"}', with the call in quotes.`);
  return check(call, options, io);
}

async function list(options: RulesOptions, io: Io): Promise<number> {
  const rules = sourcedRules(options).toSorted((a, b) => compareRules(a.rule, b.rule));
  const defaults = judgingTools(options.tools).map(({ definition, effects }) => ({
    tool: definition.name,
    verdict: effects === 'none' || options.yes === true ? 'allow' : 'ask',
  }));
  if (options.json) {
    const document = {
      rules: rules.map(({ rule, source }) => ({ ...rule, source })),
      yes: options.yes === true,
      defaults,
    };
    await writeAll(io.stdout, jsonOf(masked(document, redactorOf(io))));
    return EXIT.ok;
  }
  const rows = [
    ...rules.map(({ rule, source }) => `${visibleLine(printRule(rule))}  (${source})`),
    ...(options.yes === true ? ['--yes: what would be asked for is allowed'] : []),
    ...defaults.map(({ tool, verdict }) => `else ${verdict} ${tool}`),
  ];
  await writeAll(
    io.stdout,
    masked(rows, redactorOf(io))
      .map((row) => `${row}\n`)
      .join(''),
  );
  return EXIT.ok;
}

async function check(text: string, options: RulesOptions, io: Io): Promise<number> {
  const { name, input } = callIn(text);
  const tools = judgingTools(options.tools);
  const toolbox = createToolbox({
    runId: 'check',
    tools,
    rules: rulesFor(
      options,
      tools.map(({ definition }) => definition),
    ),
    approveAll: options.yes === true,
    workdir: folderOf(options.workdir, '--workdir'),
    texts: instructive,
  });
  const judgement = toolbox.judge(name, input);
  if (judgement.verdict === 'invalid')
    throw new UserError(`No rule is asked: this call would not run. ${visible(judgement.refusal ?? '')}`);
  const { verdict, rule = null } = judgement;
  const source = sourceOf(rule, options);
  if (options.json) await writeAll(io.stdout, jsonOf(masked({ verdict, rule, source }, redactorOf(io))));
  else await writeAll(io.stdout, redactorOf(io)(`${verdict}: ${whyOf(judgement, source)}\n`));
  return EXIT.ok;
}

const isText = (rule: Rule, text: string): boolean => printRule(rule) === text;

const sourceOf = (text: string | null, options: RulesOptions): string | null =>
  text === 'approveAll'
    ? '--yes'
    : (sourcedRules(options).find(({ rule }) => text !== null && isText(rule, text))?.source ?? null);

function whyOf({ rule = null, effects }: Judgement, source: string | null): string {
  if (rule === null)
    return effects === 'none'
      ? 'no rule is about this call, and a tool without effects is not asked for'
      : 'no rule is about this call, and a tool with effects is asked for';
  return rule === 'approveAll' ? '--yes' : `${ruleOf({ rule })}${source === null ? '' : ` (${source})`}`;
}

/** `run_python {"code": "…"}` */
function callIn(text: string): { readonly name: string; readonly input: unknown } {
  const [, name = '', json = ''] = /^\s*(\S+)\s+(.*)$/s.exec(text) ?? [];
  if (name === '')
    throw new UserError(
      `${JSON.stringify(visibleLine(text).slice(0, 200).toWellFormed())} is no call. Write the tool, a space, and its input as JSON: 'read_file {"path": "a.txt"}'.`,
    );
  try {
    return { name, input: JSON.parse(json) };
  } catch (error) {
    throw new UserError(
      `The input of ${visibleLine(name)} is no JSON. Write it as in: 'read_file {"path": "a.txt"}'.`,
      { cause: error },
    );
  }
}
