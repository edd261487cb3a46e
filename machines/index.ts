/** The machine, for tools that draw it, walk it or run it on an engine of their own. */
export { agentLoop } from './agent-loop.machine.ts';
export * as guards from './agent-loop.guards.ts';
export * as updates from './agent-loop.updates.ts';
export type * from './agent-loop.types.ts';
