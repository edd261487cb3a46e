import { describe, expect, it } from 'vitest';
import { DEFAULT_SANDBOX_LIMITS } from '../../src/sandbox/index.ts';
import { bare, instructive, type ToolTexts } from '../../src/tools/texts.ts';

const CAUSES = [
  'max_turns',
  'budget',
  'stuck',
  'deadline',
  'max_tokens',
  'aborted',
  'end_turn',
  'summary',
] as const;
const PASSED = ['memory', 'tasks', 'disk', 'files', 'output'] as const;
const NAMES = ['notes/', 'scores.csv'];

/** Every text of a set, with sample data. */
const all = (texts: ToolTexts, tools: readonly string[]): Readonly<Record<string, string>> => {
  const { toolbox, readFile, listFiles, searchFiles, writeFiles, runPython } = texts;
  const problems = [{ field: 'path', problem: 'expected string' }];
  const takes = 'read_file takes: path (string).';
  return {
    ...Object.fromEntries(
      CAUSES.slice(0, 3).map((cause) => [`summary ${cause}`, texts.summary(cause as 'budget')]),
    ),
    ...Object.fromEntries(CAUSES.map((cause) => [`notRun ${cause}`, texts.notRun(cause)])),
    'denied by a person': texts.denied(tools[0] ?? '', 'person', null),
    'denied with a reason': texts.denied(tools[0] ?? '', 'person', 'use the mean'),
    'denied with a blank reason': texts.denied(tools[0] ?? '', 'person', ' '),
    'denied by nobody': texts.denied(tools[0] ?? '', 'nobody', 'no terminal'),
    interrupted: texts.interrupted(tools[0] ?? ''),
    'edited by a person': texts.edited('{"path":"b.txt"}'),
    goOn: texts.goOn,
    broke: texts.broke(tools[0] ?? '', 'no disk'),
    unknownTool: toolbox.unknownTool('fly', tools),
    'invalidInput as a whole': toolbox.invalidInput(
      'read_file',
      [{ field: '', problem: 'no object' }],
      takes,
    ),
    invalidInput: toolbox.invalidInput('read_file', problems, takes),
    malformedInput: toolbox.malformedInput('read_file', '{"path": ', takes),
    deniedByRule: toolbox.deniedByRule('read_file', tools, 'tool'),
    'deniedByRule about the input': toolbox.deniedByRule('read_file', tools, 'call'),
    deniedByProgram: toolbox.deniedByProgram('read_file', null),
    'deniedByProgram with a reason': toolbox.deniedByProgram('read_file', 'not at night'),
    failed: toolbox.failed('read_file', 'EIO'),
    'toolbox timedOut': toolbox.timedOut('read_file', 30, 'so far'),
    'toolbox timedOut without output': toolbox.timedOut('read_file', 30, ''),
    'toolbox interrupted without output': toolbox.interrupted('read_file', ' '),
    'toolbox interrupted': toolbox.interrupted('read_file', 'so far'),
    unmasked: toolbox.unmasked('read_file'),
    'toolbox cut': toolbox.cut(123),
    blankPath: readFile.blankPath(),
    nulByte: readFile.nulByte(),
    outside: readFile.outside('../a'),
    stateFolder: readFile.stateFolder('.turnstile/a'),
    hardLink: readFile.hardLink('a.txt'),
    missing: readFile.missing('a.txt', '', NAMES, tools),
    'missing in a folder': readFile.missing('notes/a.txt', 'notes', [], tools),
    folder: readFile.folder('notes', NAMES, tools),
    special: readFile.special('pipe', 'pipe'),
    unreadable: readFile.unreadable('a.txt', 'permission was denied'),
    notText: readFile.notText('a.bin', 7),
    emptyFile: readFile.emptyFile(),
    pastEnd: readFile.pastEnd('a.txt', 9, 5),
    'pastEnd of one line': readFile.pastEnd('a.txt', 9, 1),
    backwards: readFile.backwards(3, 2),
    more: readFile.more(1, 10, 5_000),
    longLine: readFile.longLine(1),
    noFolder: listFiles.noFolder('nots', '', NAMES),
    isFile: listFiles.isFile('a.txt', tools),
    badPattern: listFiles.badPattern('[z-a]', 'invalid range'),
    emptyFolder: listFiles.emptyFolder('notes'),
    noMatch: listFiles.noMatch('notes', '*.csv'),
    'more entries': listFiles.more(500),
    ignored: listFiles.ignored(3),
    'ignored, one': listFiles.ignored(1),
    unreadableFolders: listFiles.unreadable(2),
    linkTo: listFiles.linkTo('notes/'),
    linkOut: listFiles.linkOut(),
    brokenLink: listFiles.brokenLink(),
    lostName: listFiles.lostName(),
    'badPattern of a search': searchFiles.badPattern('(?=a)', 'bad', 'unsupported Perl syntax'),
    emptyPattern: searchFiles.badPattern('', 'empty', ''),
    largePattern: searchFiles.badPattern('a{9999}', 'large', ''),
    patternOfLines: searchFiles.badPattern('a\nb', 'line_break', ''),
    noPath: searchFiles.noPath('nots', '', NAMES),
    noHit: searchFiles.noHit('total', 12, false),
    'noHit in no file': searchFiles.noHit('total', 0, false),
    'more lines': searchFiles.more(200),
    'noHit in no file, where there are others': searchFiles.noHit('total', 0, true),
    notSearched: searchFiles.notSearched({
      binaryFiles: 1,
      largeFiles: 1,
      hardLinks: 2,
      unreadable: 1,
      longLines: 3,
    }),
    'outside, to write': writeFiles.outside('../a'),
    'stateFolder, to write': writeFiles.stateFolder('.turnstile/a'),
    protectedName: writeFiles.protectedName('.git/config', '.git'),
    'folder, to write': writeFiles.folder('notes'),
    notRegular: writeFiles.notRegular('pipe', 'a pipe, not a file'),
    belowFile: writeFiles.belowFile('a.txt/b'),
    refused: writeFiles.refused('a.txt', 'permission was denied'),
    changed: writeFiles.changed('a.txt'),
    exists: writeFiles.exists('a.txt', 12),
    'exists, no text': writeFiles.exists('a.png', null),
    losesSecrets: writeFiles.losesSecrets('.env', tools),
    noFile: writeFiles.noFile('a.txt', tools),
    'notText, to write': writeFiles.notText('a.png', 5_000_000),
    emptyOldText: writeFiles.emptyOldText(tools),
    sameText: writeFiles.sameText(),
    notFound: writeFiles.notFound('a.txt', tools),
    several: writeFiles.several('a.txt', [3, 7]),
    'several, many': writeFiles.several(
      'a.txt',
      Array.from({ length: 12 }, (_, index) => index + 1),
    ),
    unchanged: writeFiles.unchanged('a.txt'),
    made: writeFiles.made('a.txt', 1),
    replaced: writeFiles.replaced('a.txt', { added: 2, removed: 1 }),
    'replaced, no text': writeFiles.replaced('a.png', null),
    edited: writeFiles.edited('a.txt', 1, { added: 1, removed: 0 }),
    'edited at places': writeFiles.edited('a.txt', 3, { added: 3, removed: 3 }),
    exited: runPython.exited(1, 'Traceback'),
    killed: runPython.killed('SIGKILL', '(no output)'),
    'killed otherwise': runPython.killed('SIGUSR1', '(no output)'),
    timedOut: runPython.timedOut(30, 'step 1'),
    ...Object.fromEntries(
      PASSED.map((limit) => [
        `overLimit ${limit}`,
        runPython.overLimit(limit, DEFAULT_SANDBOX_LIMITS, 'step 1'),
      ]),
    ),
    cut: runPython.cut(5_000, false),
    'cut, and kept': runPython.cut(5_000, true),
    noOutput: runPython.noOutput(),
    notStarted: runPython.notStarted('EACCES'),
  };
};

const print = (texts: ToolTexts, tools: readonly string[]): string =>
  Object.entries(all(texts, tools))
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n---\n');

/** Texts about a tool are said only in a run that has it. */
const ofPython = new Set([
  'exited',
  'killed',
  'timedOut',
  ...PASSED.map((limit) => `overLimit ${limit}`),
  'cut',
  'cut, and kept',
  'noOutput',
  'notStarted',
]);

/** Notes the name of every text that is asked for. */
function watched<Area extends object>(area: Area, asked: Set<string>): Area {
  return new Proxy(area, {
    get: (target, name, receiver): unknown => {
      asked.add(String(name));
      return Reflect.get(target, name, receiver);
    },
  });
}

describe('the texts for the model', () => {
  it('are all printed here', () => {
    const areas = ['toolbox', 'readFile', 'listFiles', 'searchFiles', 'writeFiles', 'runPython'] as const;
    const loop = new Set<string>(['name']);
    const asked = Object.fromEntries(areas.map((area) => [area, new Set<string>()]));
    const watchedAreas = Object.fromEntries(
      areas.map((area) => [area, watched(instructive[area], asked[area] ?? new Set())]),
    );
    all(watched({ ...instructive, ...watchedAreas }, loop), ['read_file']);
    expect([...loop].toSorted()).toEqual(Object.keys(instructive).toSorted());
    for (const area of areas)
      expect([...(asked[area] ?? [])].toSorted()).toEqual(Object.keys(instructive[area]).toSorted());
  });

  it.each([
    { set: instructive, tools: ['read_file', 'run_python'] },
    { set: instructive, tools: ['read_file'] },
    { set: bare, tools: ['read_file', 'run_python'] },
    { set: bare, tools: ['read_file'] },
  ])('of $set.name with $tools are these', ({ set, tools }) => {
    expect(print(set, tools)).toMatchSnapshot();
  });

  it.each([instructive, bare])('of $name name only tools that the run has', (set) => {
    const named = Object.entries(all(set, ['read_file'])).filter(
      ([name, text]) => !ofPython.has(name) && text.includes('run_python'),
    );
    expect(named).toEqual([]);
  });

  it.each([instructive, bare])('of $name are well-formed and not blank', (set) => {
    for (const text of Object.values(all(set, []))) {
      expect(text.isWellFormed()).toBe(true);
      expect(text.trim()).not.toBe('');
    }
  });
});
