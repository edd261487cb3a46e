/** What the loop needs to know of content blocks. All other blocks are carried along unread. */
import type { ContentBlock } from '../ports.ts';

export interface TextBlock extends ContentBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface ToolUseBlock extends ContentBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

const isText = (block: ContentBlock): block is TextBlock =>
  block.type === 'text' && typeof block['text'] === 'string';

export const isToolUse = (block: ContentBlock): block is ToolUseBlock =>
  block.type === 'tool_use' && typeof block['id'] === 'string' && typeof block['name'] === 'string';

const isBlankText = (block: ContentBlock): boolean => isText(block) && block.text.trim() === '';

/** The API may answer with blank text blocks, and refuses them when they come back. Nothing else is ever left out. */
export const withoutBlankText = (content: readonly ContentBlock[]): readonly ContentBlock[] =>
  content.some(isBlankText) ? content.filter((block) => !isBlankText(block)) : content;

export const textBlock = (text: string): ContentBlock => ({ type: 'text', text });

/** Text of a response. Neighbouring text blocks are one text (citations split them); others are paragraphs apart. */
export function textOf(content: readonly ContentBlock[]): string {
  let text = '';
  let follows = false;
  for (const block of content) {
    if (isText(block) && block.text !== '') {
      text += (follows || text === '' ? '' : '\n\n') + block.text;
      follows = true;
    } else {
      follows = false;
    }
  }
  return text.trim();
}
