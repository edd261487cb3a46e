import type { Configuration } from './configuration.ts';
import { differencesOf } from './compare.ts';
import { graphOf } from './graph.ts';
import { kitPathOf, type KitPath } from './kit.ts';
import type { Stage } from './stage.ts';
import { simplePaths } from './walk.ts';

/**
 * Every simple path of a configuration, played by our own loop: what it did is what is expected of others.
 * @throws {RangeError} for runs that go on from an earlier one: what a loop is told begins with a task
 * @throws {Error} when our loop goes otherwise than the chart says
 */
export async function* buildKit(configuration: Configuration, stage: Stage): AsyncGenerator<KitPath> {
  const { carried, hasResumptions = false } = configuration;
  if (carried !== undefined || hasResumptions)
    throw new RangeError(
      `The runs of ${configuration.name} go on from an earlier one, which the kit cannot say.`,
    );
  let number = 0;
  for (const path of simplePaths(graphOf(configuration))) {
    number += 1;
    const played = await stage.play(path, configuration, number);
    const [difference] = differencesOf(path, played);
    if (difference !== undefined) throw new Error(`Our own loop goes another way: ${difference}`);
    const name = `${configuration.name.replaceAll(/[^a-z]+/g, '-')}-${String(number).padStart(4, '0')}`;
    yield kitPathOf(name, path, configuration, played);
  }
}
