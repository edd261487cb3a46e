import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeTree } from '../../src/tools/remove-tree.ts';

const NOBODY = process.getuid?.() === 0 ? { uid: 65_533, gid: 65_533 } : {};

it.each([
  { what: 'is too deep for a path', code: 'for _ in range(20): os.mkdir("d" * 250); os.chdir("d" * 250)' },
  {
    what: 'is closed to its owner',
    code: 'os.mkdir("closed"); open("closed/file", "w"); os.chmod("closed", 0)',
  },
  { what: 'has an odd name', code: String.raw`open(b"-rf\n\xff", "w")` },
])('a folder in which something $what is removed, and what a link in it leads to is not', ({ code }) => {
  const outside = mkdtempSync(join(tmpdir(), 'outside-'));
  onTestFinished(() => removeTree(outside));
  writeFileSync(join(outside, 'kept'), '');
  const folder = mkdtempSync(join(tmpdir(), 'tree-'));
  symlinkSync(outside, join(folder, 'link'));
  if ('uid' in NOBODY) spawnSync('chown', [`${NOBODY.uid}`, folder]);
  const made = spawnSync('/usr/bin/python3', ['-c', `import os\n${code}`], {
    cwd: folder,
    ...NOBODY,
    encoding: 'utf8',
  });
  expect(made.stderr).toBe('');
  removeTree(folder);
  expect(existsSync(folder)).toBe(false);
  expect(existsSync(join(outside, 'kept'))).toBe(true);
});
