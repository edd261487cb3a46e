import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createAgent, UserError } from '../src/index.ts';
import { scripted } from '../src/testing/index.ts';

/** Nothing is unreadable to root: as an ordinary user for as long as `act` takes. */
function asOrdinaryUser<Result>(act: () => Result): Result {
  if (process.geteuid?.() !== 0) return act();
  process.seteuid?.(65_534);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
  }
}

it.each([
  { what: 'can be neither listed nor entered', mode: 0o000, says: /^workdir: .*cannot be read \(EACCES\)/ },
  { what: 'can be entered and not listed', mode: 0o111, says: /cannot be read \(EACCES\)/ },
  { what: 'can be listed and not entered', mode: 0o444, says: /cannot be read \(EACCES\)/ },
  { what: 'can be listed and entered', mode: 0o555, says: null },
])('H10: a working folder that $what is judged before anything starts', async ({ mode, says }) => {
  const workdir = await mkdtemp(join(tmpdir(), 'turnstile test '));
  onTestFinished(async () => {
    await chmod(workdir, 0o700);
    await rm(workdir, { recursive: true });
  });
  await chmod(workdir, mode);
  const create = () => asOrdinaryUser(() => createAgent({ model: scripted([{ say: 'Done.' }]), workdir }));
  if (says === null) expect(create).not.toThrow();
  else {
    expect(create).toThrow(UserError);
    expect(create).toThrow(says);
  }
});
