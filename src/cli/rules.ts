/** The rules of a command: what was said, and what the project file adds. */
import type { Rule, ToolDefinition } from '../ports.ts';
import { warningsAbout, whyNever } from '../rules/check.ts';
import { printSelector, type Selector } from '../rules/text.ts';
import { visibleLine } from '../text/visible.ts';
import { PROJECT_FILE, readProjectFile } from './project-file.ts';

/** Options that rules come from. */
export interface RuleOptions {
  readonly allow?: readonly Selector[];
  readonly ask?: readonly Selector[];
  readonly deny?: readonly Selector[];
  readonly net?: 'none' | 'allow';
  /** Hash of the project file, where it may loosen. */
  readonly trust?: string;
  /** Rules of the project file, once it was read. */
  readonly projectRules?: readonly Rule[];
}

const VERDICTS = ['deny', 'ask', 'allow'] as const;

/** What the flags say. */
const saidRules = (options: RuleOptions): readonly Rule[] =>
  VERDICTS.flatMap((verdict) => (options[verdict] ?? []).map((selector) => ({ ...selector, verdict })));

export interface SourcedRule {
  readonly rule: Rule;
  /** `--deny`, `turnstile.json` */
  readonly source: string;
}

const ASK_FOR_NETWORK: Rule = { tool: 'run_python', verdict: 'ask' };

export const sourcedRules = (options: RuleOptions): readonly SourcedRule[] => [
  ...saidRules(options).map((rule) => ({ rule, source: `--${rule.verdict}` })),
  // What has the network is asked for, whatever else is allowed.
  ...(options.net === 'allow' ? [{ rule: ASK_FOR_NETWORK, source: '--net allow' }] : []),
  ...(options.projectRules ?? []).map((rule) => ({ rule, source: PROJECT_FILE })),
];

/** Rules that can match a call of these tools. The others do nothing, and are warned of. */
export const rulesFor = (options: RuleOptions, tools: readonly ToolDefinition[]): readonly Rule[] =>
  sourcedRules(options)
    .map(({ rule }) => rule)
    .filter((rule) => whyNever(rule, tools) === null);

/** For people, one line each. */
export const ruleWarnings = (options: RuleOptions, tools: readonly ToolDefinition[]): readonly string[] =>
  warningsAbout(
    sourcedRules(options).map(({ rule }) => rule),
    tools,
  ).map((warning) => `Warning: ${visibleLine(warning)}`);

/**
 * Rules of the project file for a run that goes on. A rule that is said takes the place of an earlier one about the same
 * calls; a rule of the file must not, as it could be weaker: the earlier one is said again beside it.
 */
export function keptBeside(earlier: readonly Rule[], options: RuleOptions): readonly Rule[] {
  const said = new Set(saidRules(options).map(printSelector));
  const inFile = new Set((options.projectRules ?? []).map(printSelector));
  return earlier.filter((rule) => {
    const selector = printSelector(rule);
    return rule.verdict !== 'allow' && inFile.has(selector) && !said.has(selector);
  });
}

interface ProjectOptions extends RuleOptions {
  readonly yes?: boolean;
  readonly onAsk?: string;
  readonly baseUrl?: string;
  readonly dotenv?: string;
  readonly envFile?: string;
  readonly python?: string;
  readonly maxUsd?: number;
  readonly tokenBudget?: number;
  readonly timeout?: number;
}

/**
 * Options with what the project file says where they say nothing.
 * @param withLimits its limits count as well: not for a run that has limits already
 * @throws {UserError} see `readProjectFile`
 */
export async function withProjectFile<Options extends ProjectOptions>(
  options: Options,
  { withLimits, env }: { readonly withLimits: boolean; readonly env: NodeJS.ProcessEnv },
): Promise<Options> {
  const { rules, yes, maxUsd, tokenBudget, timeout, baseUrl, dotenv, python } = await readProjectFile(
    options.trust,
  );
  const limits = withLimits ? { maxUsd, tokenBudget, timeout } : {};
  const isAsked = options.yes === undefined && options.onAsk === undefined;
  const more = {
    python,
    ...limits,
    // Flags beat the environment, which beats the file.
    ...(env['ANTHROPIC_BASE_URL'] === undefined && { baseUrl }),
    ...(isAsked && yes === true && { yes }),
    ...(options.envFile === undefined && { dotenv }),
  };
  const said = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const added = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
  return { ...options, ...added, ...said, projectRules: rules };
}
