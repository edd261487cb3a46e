/** Rules of the loop as rows of a table: a world, and what comes of it. */
import { expect } from 'vitest';
import { play, type World } from './world.ts';

export interface Row {
  readonly rule: string;
  readonly world: World;
  readonly expected: Record<string, unknown>;
  readonly story?: readonly string[];
  /** Requests that were sent. */
  readonly requests?: number;
  /** Ids of the calls that ran. */
  readonly ran?: readonly string[];
  /** Content of the last message of the last request. */
  readonly sent?: unknown;
}

export async function expectRow({ world, expected, story, requests, ran, sent }: Row): Promise<void> {
  const played = await play(world);
  expect(played.result).toMatchObject(expected);
  if (story) expect(played.story).toEqual(story);
  if (requests !== undefined) expect(played.requests).toHaveLength(requests);
  if (ran) expect(played.ran).toEqual(ran);
  if (sent !== undefined) expect(played.requests.at(-1)?.messages.at(-1)?.content).toEqual(sent);
  expect(played.lines.at(-1)).toMatchObject({ type: 'run.ended', result: played.result });
}
