import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert, constantFrom, oneof, property, tuple } from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { namesKept, PROTECTED_NAMES, protectedName } from '../../src/sandbox/index.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'set-aside-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

type Step = (workdir: string) => void;
const file =
  (name: string, text = 'x'): Step =>
  (workdir) =>
    writeFileSync(join(workdir, name), text);
const made =
  (name: string): Step =>
  (workdir) =>
    void mkdirSync(join(workdir, name, 'hooks'), { recursive: true });
const link =
  (name: string, to: string): Step =>
  (workdir) =>
    symlinkSync(to, join(workdir, name));
const gone =
  (name: string): Step =>
  (workdir) =>
    rmSync(join(workdir, name), { recursive: true });

interface Row {
  readonly what: string;
  readonly before?: readonly Step[];
  readonly code: readonly Step[];
  readonly names: readonly string[];
  readonly there: readonly string[];
}

describe('names that code makes at the top of a workspace', () => {
  it.each<Row>([
    { what: 'none', code: [file('a.txt'), made('src')], names: [], there: ['a.txt', 'src'] },
    { what: 'a folder of git', code: [made('.git')], names: ['.git'], there: ['.git.set-aside-1'] },
    {
      what: 'another spelling',
      code: [file('.ENVRC'), file('.e\u200Cnvrc'), file('.envrc')],
      names: ['.envrc'],
      there: ['.envrc.set-aside-1', '.envrc.set-aside-2', '.envrc.set-aside-3'],
    },
    {
      what: 'a name that is long in bytes',
      code: [file(`.envrc${'\u200B'.repeat(80)}`)],
      names: ['.envrc'],
      there: ['.envrc.set-aside-1'],
    },
    {
      what: 'a name that is taken',
      before: [made('.git.set-aside-1')],
      code: [made('.git'), file('.git.set-aside-2')],
      names: ['.git'],
      there: ['.git.set-aside-1', '.git.set-aside-2', '.git.set-aside-3'],
    },
    { what: 'a link', code: [link('.git', 'src')], names: ['.git'], there: ['.git.set-aside-1'] },
    {
      what: 'a link that leads nowhere',
      code: [link('.npmrc', '/nowhere')],
      names: ['.npmrc'],
      there: ['.npmrc.set-aside-1'],
    },
    {
      what: 'in place of a link',
      before: [link('.env', 'shared.env')],
      code: [gone('.env'), file('.env')],
      names: ['.env'],
      there: ['.env', '.env.set-aside-1'],
    },
    {
      what: 'a link that leads elsewhere',
      before: [link('.env', 'shared.env')],
      code: [gone('.env'), link('.env', 'other')],
      names: ['.env'],
      there: ['.env', '.env.set-aside-1'],
    },
    {
      what: 'a link less',
      before: [link('.env', 'shared.env')],
      code: [gone('.env')],
      names: ['.env'],
      there: ['.env'],
    },
    {
      what: 'what was there',
      before: [made('.git'), file('.env')],
      code: [],
      names: [],
      there: ['.env', '.git'],
    },
    // A person saves a file by putting a new one in its place; code cannot: it is bound there.
    {
      what: 'what a person saves',
      before: [file('.env')],
      code: [gone('.env'), file('.env', 'y')],
      names: [],
      there: ['.env'],
    },
  ])('are set aside: $what', ({ before = [], code, names, there }) => {
    const workdir = folder();
    for (const step of before) step(workdir);
    const links = picture(workdir);
    const settle = namesKept(workdir);
    for (const step of code) step(workdir);
    expect(settle()).toEqual(names);
    expect(readdirSync(workdir).toSorted()).toEqual(there.toSorted());
    expect(picture(workdir)).toEqual(links);
    expect(namesKept(workdir)()).toEqual([]);
  });

  it('are gone whatever code does: no protected name is there that was not', () => {
    const name = constantFrom(...PROTECTED_NAMES, 'a', '.GIT', '.git.', '.Env');
    const step = oneof(
      name.map(
        (one): Step =>
          (workdir) =>
            writeFileSync(join(workdir, one), 'x'),
      ),
      tuple(name, name).map(
        ([one, to]): Step =>
          (workdir) =>
            symlinkSync(to, join(workdir, one)),
      ),
      name.map(
        (one): Step =>
          (workdir) =>
            rmSync(join(workdir, one), { recursive: true }),
      ),
    );
    assert(
      property(array(step, { maxLength: 8 }), array(step, { maxLength: 8 }), (before, code) => {
        const workdir = mkdtempSync(join(tmpdir(), 'set-aside-'));
        try {
          attempt(before, workdir);
          const kept = picture(workdir);
          const settle = namesKept(workdir);
          attempt(code, workdir);
          settle();
          for (const [found, value] of Object.entries(picture(workdir))) {
            expect(Object.keys(kept)).toContain(found);
            expect(value).toBe(kept[found]);
          }
        } finally {
          rmSync(workdir, { recursive: true, force: true });
        }
      }),
      { numRuns: 200 },
    );
  });
});

function attempt(steps: readonly Step[], workdir: string): void {
  for (const step of steps) {
    try {
      step(workdir);
    } catch {
      // There is one, or there is none.
    }
  }
}

/** Of the protected names that are there: where each leads to, if it is a link. */
const picture = (workdir: string): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    readdirSync(workdir, { withFileTypes: true })
      .filter(({ name }) => protectedName(name) !== null)
      .map((entry) => [entry.name, entry.isSymbolicLink() ? readlinkSync(join(workdir, entry.name)) : null]),
  );
