import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { UserError, messageOf } from '../errors.ts';
import { visible } from '../text/visible.ts';

/**
 * The environment, with the `ANTHROPIC_*` variables of a file where it does not set them itself. Nothing else is taken
 * from the file: it may be the settings of a whole project.
 * @throws {UserError} when the file cannot be read
 */
export async function environmentWith(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<NodeJS.ProcessEnv> {
  if (file === undefined) return env;
  try {
    const variables = Object.entries(parseEnv(await readFile(file, 'utf8')));
    return { ...Object.fromEntries(variables.filter(([name]) => name.startsWith('ANTHROPIC_'))), ...env };
  } catch (error) {
    throw new UserError(`--dotenv: ${visible(file)} cannot be read: ${visible(messageOf(error))}`, {
      cause: error,
    });
  }
}
