import { describe, expect, it } from 'vitest';
import { guards, type LoopContext, type LoopEvent } from '../../machines/index.ts';
import { guardRows, type Row } from './guard-rows.ts';
import { aborted, contextWith, openCall, started } from './support.ts';

type Guard = (context: LoopContext, event: LoopEvent) => boolean;

const rowsOf = new Map<string, readonly Row[]>(Object.entries(guardRows));

describe.each(Object.entries<Guard>(guards))('%s', (name, guard) => {
  const rows = rowsOf.get(name) ?? [];

  it('has rows for both answers', () => {
    expect(new Set(rows.map(([, expected]) => expected))).toEqual(new Set([true, false]));
  });

  for (const [sentence, expected, context = contextWith(), event = aborted()] of rows) {
    it(`is ${expected} where ${sentence}`, () => {
      expect(guard(context, event)).toBe(expected);
    });
  }
});

describe('a guard of a fact', () => {
  it.each([
    ['canRetry', guards.canRetry],
    ['canGrow', guards.canGrow],
    ['isContextWindow', guards.isContextWindow],
    ['isAwaited', guards.isAwaited],
    ['canStart', guards.canStart],
    ['canFinish', guards.canFinish],
    ['canClose', guards.canClose],
    ['isRaise', guards.isRaise],
  ] as const)('%s throws when it is asked about another fact', (_name, guard) => {
    expect(() => guard(contextWith({ calls: [openCall('a')] }), aborted())).toThrow('run.aborted');
  });

  it('isDeadline throws when it is asked about another fact', () => {
    expect(() => guards.isDeadline(contextWith(), started('a'))).toThrow('tool.started');
  });
});
