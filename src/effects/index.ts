/** One effect for each that the chart names. A state that names another does not compile. */
import type { Effect } from '../../machines/index.ts';
import { askApproval } from './ask-approval.ts';
import { askToContinue } from './ask-to-continue.ts';
import { backOff } from './back-off.ts';
import { callModel, askForSummary } from './call-model.ts';
import { closeCalls } from './close-calls.ts';
import type { PerformEffect } from './effect.ts';
import { executeTools } from './execute-tools.ts';

export const effects: Readonly<Record<Effect, PerformEffect>> = {
  callModel,
  backOff,
  askApproval,
  executeTools,
  closeCalls,
  askToContinue,
  askForSummary,
};
