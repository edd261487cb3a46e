import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { UserError, messageOf } from '../errors.ts';
import { visible } from '../text/visible.ts';

/**
 * All variables of a file, or none when no file is named.
 * @throws {UserError} when the file cannot be read
 */
export async function readDotenv(file: string | undefined): Promise<NodeJS.ProcessEnv> {
  if (file === undefined) return {};
  try {
    return { ...parseEnv(await readFile(file, 'utf8')) };
  } catch (error) {
    throw new UserError(`--dotenv: ${visible(file)} cannot be read: ${visible(messageOf(error))}`, {
      cause: error,
    });
  }
}

/**
 * The environment, with the `ANTHROPIC_*` variables of a file where it does not set them itself. Nothing else is taken
 * from the file: it may be the settings of a whole project.
 */
export const environmentWith = (file: NodeJS.ProcessEnv, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(file).filter(([name]) => name.startsWith('ANTHROPIC_'))),
  ...env,
});
