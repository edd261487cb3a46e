import { describe, expect, it } from 'vitest';
import { environmentWith, readDotenv } from '../../src/cli/environment.ts';
import { UserError } from '../../src/errors.ts';
import { folderWith } from '../e2e/command.ts';

describe('an environment with a file', () => {
  it('takes ANTHROPIC_* variables from the file and nothing else, and lets what is set stand', async () => {
    const folder = await folderWith({
      'my.env':
        'ANTHROPIC_API_KEY=of-the-file\nANTHROPIC_BASE_URL=http://file\nPATH=/nowhere\nAWS_SECRET=x\n',
    });
    const file = await readDotenv(`${folder}/my.env`);
    expect(environmentWith(file, { ANTHROPIC_API_KEY: 'mine', HOME: '/h' })).toEqual({
      ANTHROPIC_API_KEY: 'mine',
      ANTHROPIC_BASE_URL: 'http://file',
      HOME: '/h',
    });
  });

  it('is an error that names the file when it cannot be read', async () => {
    await expect(readDotenv('gone.env')).rejects.toThrow(UserError);
    await expect(readDotenv('gone.env')).rejects.toThrow(/--dotenv: gone.env.*ENOENT/);
  });

  it('is the environment itself when no file is named', async () => {
    expect(environmentWith(await readDotenv(undefined), { A: '1' })).toEqual({ A: '1' });
  });
});
