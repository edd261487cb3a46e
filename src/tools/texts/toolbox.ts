/** What the toolbox says to the model: of calls that cannot run as they are, and of how a call ended. */
import { cutHead } from '../../text/cut.ts';
import { ensureStop } from './loop.ts';

export interface FieldProblem {
  /** Path of the field, `` for the input as a whole. */
  readonly field: string;
  readonly problem: string;
}

export interface ToolboxTexts {
  readonly unknownTool: (name: string, tools: readonly string[]) => string;
  /** `takes`: the fields of the tool, one sentence. */
  readonly invalidInput: (tool: string, problems: readonly FieldProblem[], takes: string) => string;
  readonly malformedInput: (tool: string, raw: string, takes: string) => string;
  /** `what`: the rule is about all calls of the tool, or about this one. */
  readonly deniedByRule: (tool: string, tools: readonly string[], what: 'tool' | 'call') => string;
  /** The host's own code denies this call. */
  readonly deniedByProgram: (tool: string, reason: string | null) => string;
  /** `message`: one line. */
  readonly failed: (tool: string, message: string) => string;
  readonly timedOut: (tool: string, seconds: number, output: string) => string;
  readonly interrupted: (tool: string, output: string) => string;
  /** The host's own function that masks secrets has failed. */
  readonly unmasked: (tool: string) => string;
  /** Stands where a long result was cut. */
  readonly cut: (droppedCharacters: number) => string;
}

const NOT_WANTED =
  'It was not run. What it was to do is not wanted here, by this or any other way: go on without it, or say in your answer what you could not do.';

const RAW_CHARACTERS = 200;

const listOf = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));

const problemsOf = (problems: readonly FieldProblem[]): string =>
  problems.map(({ field, problem }) => `- ${field === '' ? 'the input' : field}: ${problem}`).join('\n');

const untilThen = (output: string): string =>
  output.trim() === '' ? '' : `\n\nOutput until then:\n\n${output}`;

export const bareToolbox: ToolboxTexts = {
  unknownTool: (name) => `There is no tool ${JSON.stringify(name)}.`,
  invalidInput: (tool, problems) => `The input of ${tool} is not valid:\n${problemsOf(problems)}`,
  malformedInput: (tool) => `The input of ${tool} is not valid JSON.`,
  deniedByRule: (tool, _, what) =>
    `A rule of this run denies ${what === 'tool' ? '' : 'this call of '}${tool}.`,
  deniedByProgram: (tool, reason) =>
    `The program around this run denies this call of ${tool}${reason === null ? '.' : `: ${ensureStop(reason)}`}`,
  failed: (tool, message) => `${tool} failed: ${ensureStop(message)}`,
  timedOut: (tool, seconds, output) => `${tool} was stopped after ${seconds} s.${untilThen(output)}`,
  interrupted: (tool, output) => `${tool} was interrupted.${untilThen(output)}`,
  unmasked: (tool) => `What ${tool} gave back could not be checked for secrets, so it is withheld.`,
  cut: (dropped) => `\n[${dropped} characters left out here]\n`,
};

export const instructiveToolbox: ToolboxTexts = {
  unknownTool: (name, tools) =>
    `${bareToolbox.unknownTool(name, tools)} The tools of this run are: ${listOf(tools)}. Nothing was run.`,
  invalidInput: (tool, problems, takes) =>
    `${bareToolbox.invalidInput(tool, problems, takes)}\n${takes} Nothing was run; correct the input and call again.`,
  malformedInput: (tool, raw, takes) =>
    `${bareToolbox.malformedInput(tool, raw, takes)} It began with: ${cutHead(raw, RAW_CHARACTERS)}\n${takes} Nothing was run; send the input again as one JSON object.`,
  deniedByRule: (tool, tools, what) =>
    what === 'tool'
      ? `${bareToolbox.deniedByRule(tool, tools, what)} It was not run, and will not be, however it is called. Go on without it${othersThan(tool, tools)}, or say in your answer what you could not do.`
      : `${bareToolbox.deniedByRule(tool, tools, what)} ${NOT_WANTED}`,
  deniedByProgram: (tool, reason) => `${bareToolbox.deniedByProgram(tool, reason)} ${NOT_WANTED}`,
  failed: (tool, message) =>
    `${bareToolbox.failed(tool, message)} This is a fault of the tool. Try once more with other input, or go on without it.`,
  timedOut: (tool, seconds, output) =>
    `${bareToolbox.timedOut(tool, seconds, output)}\n\nCall it again with less to do, or go on with what there is.`,
  interrupted: (tool, output) =>
    `${bareToolbox.interrupted(tool, output)}\n\nIt may have had a part of its effect. Check before you repeat it.`,
  unmasked: (tool) =>
    `${bareToolbox.unmasked(tool)} It may have run. This is a fault of the program around it: do not repeat the call, go on without it.`,
  cut: (dropped) => `\n[${dropped} characters left out here. Ask for a smaller part to see them.]\n`,
};

function othersThan(tool: string, tools: readonly string[]): string {
  const others = tools.filter((name) => name !== tool);
  return others.length === 0 ? '' : ` (there are: ${others.join(', ')})`;
}
