/** A run as lines for people, one for each thing that happened. */
import { formatUsd } from '../budget/cost.ts';
import { textOf } from '../history/blocks.ts';
import type { Fact, JournalLine, ToolCall } from '../ports.ts';
import { fitLine, visibleLine } from '../text/visible.ts';
import { callLine, countOf, decisionLine, failureLine, requestLine, ruleOf, seconds } from './lines.ts';

const WIDTH = 100;

/** @returns lines that begin with the seconds since the start */
export function timelineOf(lines: readonly JournalLine[]): readonly string[] {
  const [header] = lines;
  if (header?.type !== 'run.started') return [];
  const calls = new Map<string, ToolCall>();
  const startedAt = Date.parse(header.at);
  let nanoUsd = 0;
  return lines.map((line) => {
    if (line.type === 'run.started')
      return `${seconds(0).padStart(10)}  started (${visibleLine(line.model)})`;
    note(line, calls);
    if ('cost' in line) nanoUsd += line.cost.nanoUsd;
    const since = seconds(Math.max(0, Date.parse(line.at) - startedAt)).padStart(10);
    const spent = 'message' in line ? `, ${formatUsd(nanoUsd)} so far` : '';
    return `${since}  ${line.type === 'run.ended' ? endOf(line.result) : `${sayingOf(line, calls)}${spent}`}`;
  });
}

/** Calls as they are judged by now. */
function note(line: Exclude<JournalLine, { type: 'run.started' }>, calls: Map<string, ToolCall>): void {
  if ('calls' in line) for (const call of line.calls) calls.set(call.id, call);
  if (line.type !== 'run.resumed') return;
  for (const { callId, verdict, rule = null } of line.judgements) {
    const call = calls.get(callId);
    if (call !== undefined) calls.set(callId, { ...call, verdict, rule });
  }
}

const endOf = (result: Extract<JournalLine, { type: 'run.ended' }>['result']): string =>
  result.state === 'waiting' ? 'waits' : `stopped: ${visibleLine(result.reason)}`;

function sayingOf(fact: Fact, calls: ReadonlyMap<string, ToolCall>): string {
  const nameOf = (id: string): string => {
    const call = calls.get(id);
    return fitLine(call === undefined ? visibleLine(id) : callLine(call), WIDTH);
  };
  switch (fact.type) {
    case 'model.failed':
      return `the model failed: ${failureLine(fact)}`;
    case 'approval.decided':
      return `${nameOf(fact.callId)}: ${decisionLine(fact)}${ruleNote(', asked for by ', calls.get(fact.callId))}`;
    case 'tool.started':
      return `… ${nameOf(fact.callId)}`;
    case 'tool.finished':
      return `${fact.outcome.kind === 'succeeded' ? '✓' : `✗ ${fact.outcome.kind}:`} ${nameOf(fact.callId)}, ${seconds(fact.durationMs)}${settledNote(calls.get(fact.callId))}`;
    case 'user.interjected':
      return `you said: ${fitLine(visibleLine(fact.text), WIDTH)}`;
    case 'run.resumed':
      return `resumed${fact.words.map((text) => `: ${fitLine(visibleLine(text), WIDTH)}`).join('')}`;
    case 'run.aborted':
      return `stopped by ${visibleLine(fact.by)}`;
    case 'retry.due':
      return 'trying again';
    case 'limit.raised':
      return `${countOf(fact.turns, 'turn')} more`;
    case 'limit.kept':
      return 'no more turns';
    case 'model.answered':
    case 'model.called_tools':
    case 'model.paused':
    case 'model.truncated':
    case 'model.refused':
    case 'model.overflowed':
      return said(fact);
  }
}

const ruleNote = (words: string, call: ToolCall | undefined): string => {
  const rule = call === undefined ? '' : ruleOf(call);
  return rule === '' ? '' : fitLine(`${words}${rule}`, WIDTH);
};

/** Of a call that a person decided about, the decision says it. */
const settledNote = (call: ToolCall | undefined): string =>
  call?.verdict === 'ask' ? '' : ruleNote(call?.verdict === 'deny' ? ', denied by ' : ', allowed by ', call);

function said(fact: Extract<Fact, { readonly message: unknown }>): string {
  const text = fitLine(visibleLine(textOf(fact.message.content)), WIDTH);
  const called = 'calls' in fact && fact.calls.length > 0 ? ` [${countOf(fact.calls.length, 'call')}]` : '';
  return `model: ${text}${called} (${requestLine(fact)})`;
}
