/** What the loop says to the model: when a run ends early, and to calls that did not run. */
import type { LoopTexts } from '../../ports.ts';

type Cause = Parameters<LoopTexts['notRun']>[0];

const WHY: Readonly<Record<Cause, string>> = {
  max_turns: 'the turn limit of this run is reached',
  budget: 'the budget of this run is used up',
  stuck: 'the same call has failed again and again',
  deadline: 'the time of this run is over',
  max_tokens: 'the response was cut off, so the call may be incomplete',
  aborted: 'the run was stopped',
  end_turn: 'the response that held it had ended the turn',
  summary: 'tools are disabled in this turn',
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function denial(by: string, reason: string | null): string {
  const why = reason?.trim() ?? '';
  const what = by === 'nobody' ? 'Nobody could be asked to approve this call' : 'The user denied this call';
  return ensureStop(why === '' ? what : `${what}: ${why}`);
}

/** Ends a sentence that a person or a tool has written. */
export const ensureStop = (text: string): string => (/[.!?。！？]$/.test(text) ? text : `${text}.`);

export const bareLoop: Omit<LoopTexts, 'name'> = {
  summary: (cause) => `${capital(WHY[cause])}. Tools are disabled now. Give your answer.`,
  notRun: (cause) => `Not run: ${WHY[cause]}.`,
  denied: (_, by, reason) => denial(by, reason),
  interrupted: () => 'Interrupted. Its outcome is not known.',
  edited: (input) => `The user changed the input; this ran: ${input}`,
  goOn: 'Go on.',
  broke: (tool, message) => `${tool} broke: ${ensureStop(message)}`,
};

export const instructiveLoop: Omit<LoopTexts, 'name'> = {
  summary: (cause) =>
    `${capital(WHY[cause])}, so this is the last turn and tools are disabled. Give your best answer now, from what you know already, in the language and the form that the task asked for. Say what is missing or uncertain. Do not announce further steps.`,
  notRun: (cause) =>
    `Not run: ${WHY[cause]}. Nothing of it happened. If the work goes on later, make the call again if it is still needed.`,
  denied: (tool, by, reason) =>
    by === 'nobody'
      ? `${denial(by, reason)} It did not run. Do not try ${tool} again in this run; go on without it, and say in your answer what you could not do.`
      : `${denial(by, reason)} It did not run. Do not make it again, and do not look for a way around it. Say what you know so far, and ask the user how they want to go on.`,
  interrupted: (tool) =>
    `Interrupted: ${tool} had started, and its outcome is not known; it may have had its effect. Check what is there before you repeat it.`,
  edited: (input) =>
    `The user changed the input of this call before it ran. Take the result as that of their version. This ran: ${input}`,
  goOn: 'Go on with the task from where you stopped: there is room for more work now, and tools can be called again.',
  broke: (tool, message) =>
    `${tool} broke: ${ensureStop(message)} This is a fault of the program around it; it may have had a part of its effect. Check before you repeat it, or go on without it.`,
};
