/** A host's own tools in place of the built-in ones, so that paths are played with them and under its rules. */
import { isDeepStrictEqual } from 'node:util';
import type { CallHead } from '../../machines/index.ts';
import type { Rule } from '../ports.ts';
import type { Tool } from '../tools/define-tool.ts';
import type { Script } from './script.ts';
import { endingOf, hang, HUGE_BYTES, inputOfCall, inTurn, runningCall } from './workbench.ts';

/** A tool, and how the world is made in which its calls end as a path says. */
export interface ScriptedTool {
  readonly tool: Tool;
  /** What the model calls it with, as its schema gives it: two inputs that differ. */
  readonly inputs: Readonly<Record<'a' | 'b', unknown>>;
  /** Awaited before each call that ends by itself. Calls that are interrupted do not reach the tool. */
  readonly prepare: (next: {
    readonly ending: 'succeeded' | 'failed';
    readonly input: unknown;
    readonly workdir: string;
    /** The result must have so many bytes at least. 0 but where a budget is to be used up. */
    readonly bytes: number;
  }) => void | Promise<void>;
}

/**
 * By what a call is to the loop. `read`: it only reads, and is allowed. `ask`: it has effects, and a person decides.
 * `deny`: the rules rule it out. What is left out is a built-in tool.
 */
export type ScriptedTools = Readonly<Partial<Record<Family, ScriptedTool>>>;

type Family = 'read' | 'ask' | 'deny';

export interface OwnTools {
  readonly tools: ScriptedTools;
  /** Beside the one that denies the built-in tool of `deny`. */
  readonly rules: readonly Rule[];
}

const EFFECTS = { read: 'none', ask: 'some', deny: 'some' } as const;

/** @throws {RangeError} when a tool cannot be what it stands for */
export function checkTools(tools: ScriptedTools): void {
  for (const family of FAMILIES) {
    const own = tools[family];
    if (own !== undefined && own.tool.effects !== EFFECTS[family])
      throw new RangeError(
        `The tool ${own.tool.definition.name} stands for calls of the kind ${family}, so its effects have to be ${EFFECTS[family]}; they are ${own.tool.effects}.`,
      );
  }
}

/** In the order of the workbench. */
const FAMILIES = ['read', 'ask', 'deny'] as const;

export type Spelling = typeof inputOfCall;

/** How the model spells a call. */
export const spellingOf =
  (tools: ScriptedTools): Spelling =>
  (call) => {
    const [family = '', letter] = call.fingerprint.split(' ');
    const own = FAMILIES.filter((name) => name === family).map((name) => tools[name])[0];
    if (own !== undefined)
      return { name: own.tool.definition.name, input: own.inputs[letter === 'b' ? 'b' : 'a'] };
    const isUnfit = family === 'invalid' && letter === 'a' && tools.read !== undefined;
    return isUnfit ? { name: 'no_such_tool', input: {} } : inputOfCall(call);
  };

/** @param builtIn of the families, in their order */
export const toolsWith = (
  builtIn: readonly Tool[],
  own: ScriptedTools,
  script: Script,
  workdir: string,
): readonly Tool[] =>
  builtIn.map((tool, index) => {
    const family = FAMILIES[index];
    const scripted = family === undefined ? undefined : own[family];
    return family === undefined || scripted === undefined
      ? tool
      : inScript(family, scripted, script, workdir);
  });

export const rulesWith = ({ tools, rules }: OwnTools): readonly Rule[] => [
  ...(tools.deny === undefined ? [{ tool: 'delete_file', verdict: 'deny' } as const] : []),
  ...rules,
];

function inScript(
  family: Family,
  { tool, inputs, prepare }: ScriptedTool,
  script: Script,
  workdir: string,
): Tool {
  const isCalled = (fingerprint: CallHead['fingerprint'], input: unknown): boolean =>
    [`${family} a`, `${family} b`].includes(fingerprint) &&
    isDeepStrictEqual(inputs[fingerprint.endsWith('b') ? 'b' : 'a'], input);
  return {
    ...tool,
    run: async (input, context) => {
      const call = runningCall(script, (fingerprint) => isCalled(fingerprint, input));
      const end = endingOf(call, script);
      if (end.kind === 'interrupted') return hang(call, script, context);
      if (end.kind !== 'succeeded' && end.kind !== 'failed')
        throw new RangeError(`Of a tool of your own no call can be made to end as ${end.kind}.`);
      await prepare({ ending: end.kind, input, workdir, bytes: end.isHuge ? HUGE_BYTES : 0 });
      return inTurn(call, end, script, context, () => tool.run(input, context));
    },
  };
}
