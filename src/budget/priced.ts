/** What a fact says of the next request is known when it is recorded: other facts may have come before it. */
import type { Fact, JournalHeader } from '../ports.ts';
import { addToPrompt, boundsFor, promptCost, type PromptState } from './bounds.ts';

/** The fact with its bounds, and the prompt behind it. */
export function priced(
  fact: Fact,
  before: PromptState,
  { price }: Pick<JournalHeader, 'price'>,
): { readonly fact: Fact; readonly prompt: PromptState } {
  const prompt = addToPrompt(before, fact);
  switch (fact.type) {
    case 'tool.finished':
    case 'user.interjected': {
      const cost = promptCost(before.tokens, prompt.tokens, price);
      return { fact: { ...fact, promptCost: cost }, prompt };
    }
    case 'run.resumed': {
      const cost = promptCost(before.tokens, prompt.tokens, fact.price, price);
      return { fact: { ...fact, promptCost: cost }, prompt };
    }
    case 'model.answered':
    case 'model.called_tools':
    case 'model.paused':
    case 'model.truncated':
    case 'model.refused':
    case 'model.overflowed':
    case 'model.failed':
      return { fact: { ...fact, ...boundsFor(prompt.tokens, price) }, prompt };
    case 'retry.due':
    case 'approval.decided':
    case 'tool.started':
    case 'limit.raised':
    case 'limit.kept':
    case 'run.aborted':
      return { fact, prompt };
  }
}
