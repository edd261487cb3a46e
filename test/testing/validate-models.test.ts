import { describe, expect, it } from 'vitest';
import { contextWindowOf, generationOf, maxOutputOf } from '../../src/verify/api/models.ts';

describe('a model id', () => {
  it.each([
    { id: 'claude-3-opus-20240229', generation: 3, maxOutput: null, contextWindow: 200_000 },
    { id: 'claude-3-5-haiku-latest', generation: 3.5, maxOutput: null, contextWindow: 200_000 },
    { id: 'claude-sonnet-4-20250514', generation: 4, maxOutput: null, contextWindow: 200_000 },
    { id: 'claude-opus-4-1-20250805', generation: 4.1, maxOutput: null, contextWindow: 200_000 },
    { id: 'claude-haiku-4-5-20251001', generation: 4.5, maxOutput: 64_000, contextWindow: 200_000 },
    { id: 'claude-sonnet-4-6', generation: 4.6, maxOutput: 64_000, contextWindow: 1_000_000 },
    { id: 'claude-opus-4-6', generation: 4.6, maxOutput: 128_000, contextWindow: 1_000_000 },
    { id: 'claude-opus-5', generation: 5, maxOutput: 128_000, contextWindow: 1_000_000 },
    { id: 'claude-opus-10-1', generation: 10.1, maxOutput: null, contextWindow: null },
    { id: 'my-claude-haiku-4-5', generation: Infinity, maxOutput: null, contextWindow: null },
    { id: 'my-claude-3-opus', generation: Infinity, maxOutput: null, contextWindow: null },
    { id: 'claude-3-5', generation: Infinity, maxOutput: null, contextWindow: null },
  ])('$id is of generation $generation, writes $maxOutput and reads $contextWindow tokens', (row) => {
    const { id, ...expected } = row;
    expect({
      generation: generationOf(id),
      maxOutput: maxOutputOf(id),
      contextWindow: contextWindowOf(id),
    }).toEqual(expected);
  });
});
