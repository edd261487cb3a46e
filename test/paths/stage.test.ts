import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CARRIED } from '../../src/paths/carried.ts';
import { CONFIGURATIONS, SMALL } from '../../src/paths/configurations.ts';
import { canPlay, createStage, type Stage } from '../../src/paths/stage.ts';

describe('a stage', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await createStage({ workspace: 'workspace', python: 'python3' });
  });

  afterAll(() => stage.close());

  it.each([...CONFIGURATIONS, ...SMALL])('plays runs that begin with a task: $name', (configuration) => {
    expect(canPlay(configuration)).toBe(true);
  });

  it.each(CARRIED)(
    'refuses runs that go on from an earlier one, and does not wait for them: $name',
    async (configuration) => {
      await expect(stage.play([], configuration, 0)).rejects.toThrow(
        `The paths of ${configuration.name} are walked, and cannot be played.`,
      );
    },
  );
});
