import type { AnyStateMachine } from 'xstate';

/**
 * The machine as JSON that Stately imports and `createMachine(JSON.parse(json))` takes. Guards and actions are names;
 * the functions behind them, the first context and the output stay in the source.
 */
export const toStatelyJson = (machine: AnyStateMachine): string =>
  // Not `machine.toJSON()`: that leaves out every transition of the transient states.
  `${JSON.stringify(machine.config, null, 2)}\n`;
