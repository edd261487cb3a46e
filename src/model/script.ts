/**
 * A scripted model: a pure function of the request body. It sees what a model would see and nothing else, so what it
 * says about a file was really read. No state: the same request gets the same reply.
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
    };

/**
 * Plays the turn that is due. With n assistant messages behind it that is turn n + 1; when tools are disabled it is the
 * summary, if the script has one. What cannot be played is a 400 that says why.
 */
export function createScript(script: Script): (request: ModelRequest) => ScriptedReply {
  return (request) => {
    const conversation = conversationOf(request);
    const turn = dueTurn(script, conversation);
    if (typeof turn === 'string') return unplayable(script, turn);
    try {
      return play(turn, request, conversation);
    } catch (error) {
      if (error instanceof TemplateError) return unplayable(script, error.message);
      throw error;
    }
  };
}

/** The turn, or why there is none. */
function dueTurn(script: Script, conversation: Conversation): ScriptTurn | string {
  const number = conversation.responses + 1;
  if (conversation.isToolless && script.summary !== null) return script.summary;
  const step = script.steps[conversation.responses];
  if (step === undefined) return `it has no turn ${number}, only ${script.steps.length}`;
  const turn = step.find(({ when }) => when === undefined || holds(when, conversation));
  if (turn === undefined) return `no alternative of turn ${number} fits the last results`;
  if (!conversation.isToolless) return turn;
  // No real model calls a tool when it cannot.
  const { call: _, stop_reason: __, ...withoutCalls } = turn;
  if (turn.call === undefined) return turn;
  return turn.say === undefined ? `turn ${number} only calls tools, and they are disabled` : withoutCalls;
}

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
  { thinking, say, call = [] }: ScriptTurn,
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

const unplayable = ({ name }: Script, why: string): ScriptedReply => ({
  kind: 'failed',
  status: 400,
  errorType: 'invalid_request_error',
  message: `The script ${name} cannot go on: ${why}.`,
});
