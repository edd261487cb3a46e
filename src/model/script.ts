/**
 * A scripted model, played from the request body. It sees what a model would see and nothing else, so what it
 * says about a file was really read. The only thing it remembers is what has failed, so that a retry can succeed.
 */
import type { ContentBlock, ModelRequest, Usage } from '../ports.ts';
import { conversationOf, type Conversation } from './conversation.ts';
import type { Script, ScriptTurn } from './parse-script.ts';
import { fill, TemplateError } from './templates.ts';

export type ScriptedReply =
  | {
      readonly kind: 'message';
      readonly id: string;
      readonly content: readonly ContentBlock[];
      readonly stopReason: string;
      /** Counted from bytes where the turn does not say: plausible, not exact. */
      readonly usage: Usage;
    }
  | {
      readonly kind: 'failed';
      /** HTTP status, 400 to 599. */
      readonly status: number;
      readonly errorType: string;
      readonly message: string;
    }
  /** The script is at fault, which no model ever is: where, and what is wrong. */
  | { readonly kind: 'unplayable'; readonly message: string };

/**
 * Plays the turn that is due. With n assistant messages behind it that is turn n + 1, turns that fail left out once they
 * have failed as often as they say; when tools are disabled it is the summary, if the script has one.
 */
export function createScript(script: Script): (request: ModelRequest) => ScriptedReply {
  const failures = new Map<ScriptTurn, number>();
  return (request) => {
    const conversation = conversationOf(request);
    const due = dueTurn(script, conversation, failures);
    if ('why' in due) return unplayable(script, due);
    try {
      const { turn } = due;
      if (turn.fail !== undefined) failures.set(turn, (failures.get(turn) ?? 0) + 1);
      return play(turn, request, conversation);
    } catch (error) {
      if (error instanceof TemplateError) return unplayable(script, { ...due, why: error.message });
      throw error;
    }
  };
}

interface Due {
  readonly place: string;
  readonly turn: ScriptTurn;
}

interface Fault {
  readonly place: string;
  readonly why: string;
}

/** The turn, or why there is none. */
function dueTurn(
  script: Script,
  conversation: Conversation,
  failures: ReadonlyMap<ScriptTurn, number>,
): Due | Fault {
  if (conversation.isToolless && script.summary !== null)
    return { place: 'the summary', turn: script.summary };
  const left = [...script.steps.entries()].filter(([, step]) => !step.some((turn) => isOver(turn, failures)));
  const next = left[conversation.responses];
  if (next === undefined) {
    return { place: 'the end', why: `turn ${conversation.responses + 1} of the run has nothing to play` };
  }
  const place = `turn ${next[0] + 1}`;
  const turn = next[1].find(({ when }) => when === undefined || holds(when, conversation));
  if (turn === undefined) return { place, why: 'no alternative fits the last results' };
  // No real model calls a tool when it cannot.
  if (!conversation.isToolless || turn.call === undefined) return { place, turn };
  const { call: _, stop_reason: __, ...withoutCalls } = turn;
  return turn.say === undefined
    ? { place, why: 'it only calls tools, and they are disabled' }
    : { place, turn: withoutCalls };
}

/** It has failed as often as it was to. */
const isOver = (turn: ScriptTurn, failures: ReadonlyMap<ScriptTurn, number>): boolean =>
  turn.fail !== undefined && (failures.get(turn) ?? 0) >= turn.fail.times;

const holds = (when: NonNullable<ScriptTurn['when']>, { lastHasError }: Conversation): boolean =>
  when === 'last_result_is_error' ? lastHasError : !lastHasError;

function play(turn: ScriptTurn, request: ModelRequest, conversation: Conversation): ScriptedReply {
  if (turn.fail !== undefined) {
    const { status, type, message } = turn.fail;
    return { kind: 'failed', status, errorType: type, message: fill(message, conversation) };
  }
  const content = contentOf(turn, conversation);
  return {
    kind: 'message',
    id: `msg_script_${conversation.responses + 1}`,
    content,
    stopReason: turn.stop_reason ?? (turn.call === undefined ? 'end_turn' : 'tool_use'),
    usage: { input_tokens: tokensIn(request), output_tokens: tokensIn(content), ...defined(turn.usage) },
  };
}

function contentOf(
  { thinking, say, call = [], stop_reason: reason }: ScriptTurn,
  conversation: Conversation,
): readonly ContentBlock[] {
  const filled = (text: string): string => fill(text, conversation);
  return [
    ...(thinking === undefined
      ? []
      : [{ type: 'thinking', thinking: filled(thinking), signature: 'c2NyaXB0ZWQ=' }]),
    ...(say === undefined ? [] : [{ type: 'text', text: filled(say) }]),
    ...call.map(({ tool, input = {} }, index) => ({
      type: 'tool_use',
      id: `toolu_script_${conversation.responses + 1}_${index + 1}`,
      name: tool,
      input: fillDeep(input, filled),
    })),
    // The API pauses in the middle of a server tool's work, and takes a response back only where it did.
    ...(reason === 'pause_turn'
      ? [
          {
            type: 'server_tool_use',
            id: `srvtoolu_script_${conversation.responses + 1}`,
            name: 'web_search',
            input: { query: 'scripted' },
          },
        ]
      : []),
  ];
}

function fillDeep(value: unknown, filled: (text: string) => string): unknown {
  if (typeof value === 'string') return filled(value);
  if (Array.isArray(value)) return value.map((item) => fillDeep(item, filled));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillDeep(item, filled)]));
}

/** About four bytes are a token. */
const tokensIn = (value: unknown): number => Math.ceil(Buffer.byteLength(JSON.stringify(value)) / 4);

const defined = (usage: ScriptTurn['usage']) => ({
  ...(usage?.input_tokens !== undefined && { input_tokens: usage.input_tokens }),
  ...(usage?.output_tokens !== undefined && { output_tokens: usage.output_tokens }),
});

const unplayable = ({ name }: Script, { place, why }: Fault): ScriptedReply => ({
  kind: 'unplayable',
  message: `The script ${name} cannot go on at ${place}: ${why}.`,
});
