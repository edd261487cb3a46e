/** Tries every attempt in a sandbox, and looks at the host afterwards. */
import { lstatSync, readdirSync, statSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolOutcome } from '../../src/ports.ts';
import { PROTECTED_NAMES } from '../../src/sandbox/index.ts';
import { readFile } from '../../src/tools/read-file.ts';
import { runPython, type RunPythonOptions } from '../../src/tools/run-python.ts';
import { instructive } from '../../src/tools/texts.ts';
import { createToolbox } from '../../src/tools/toolbox.ts';
import { ATTEMPT_NAMES, LIMITS, startHost, workspaceIn, type Host, type Workspace } from './host.ts';

export type Way = Required<Pick<RunPythonOptions, 'sandbox' | 'workdirMode'>>;

const TIMEOUT_MS = 9_000;
const SHORT_MS = 1_200;
/** They never end by themselves. */
const ENDLESS = ['busy', 'asleep', 'stopped', 'deaf', 'endless_output', 'endless_errors'];

/** Only meaningful where code may not, or may, change the workspace. */
const ONLY_RO = /^workspace_/;
const ONLY_RW = /^swapped_/;

interface Tried {
  readonly outcome: ToolOutcome;
  readonly elapsedMs: number;
  /** What it got, or null. */
  readonly got: string | null;
}

async function tryOnce(host: Host, way: Way, name: string): Promise<Tried> {
  const work = await workspaceIn(host);
  try {
    const timeoutMs = ENDLESS.includes(name) ? SHORT_MS : TIMEOUT_MS;
    const python = runPython({ ...way, asRoot: true, timeoutMs, limits: LIMITS, scratchDir: work.scratch });
    const toolbox = createToolbox({
      tools: [python, readFile()],
      runId: 'run',
      workdir: work.folder,
      texts: instructive,
      hidden: [join(work.folder, '.turnstile')],
    });
    const run = (code: string) =>
      toolbox.run({ id: 'call', name: 'run_python', input: { code } }, new AbortController().signal);
    const kept = way.workdirMode === 'ro' ? undefined : PROTECTED_NAMES;
    const before = work.picture(kept);
    const startedAt = performance.now();
    const running = run(host.codeOf(name));
    const leaks = ONLY_RW.test(name) ? await readMeanwhile(toolbox, running, host) : 0;
    const outcome = await running;
    const elapsedMs = performance.now() - startedAt;
    if (
      !outcome.content.includes('BEGUN') &&
      !ENDLESS.includes(name) &&
      !outcome.content.includes('left out here')
    )
      throw new Error(`The attempt did not begin: ${outcome.content}`);
    const later = name === 'planted_module' ? (await run(host.codeOf('innocent'))).content : '';
    if (name === 'daemon') await sleep(400);
    const changed =
      JSON.stringify(work.picture(kept)) === JSON.stringify(before) ? null : 'the workspace was changed';
    const got = [
      /^OUT (.*)$/m.exec(outcome.content)?.[1] ?? null,
      ...host.traces(),
      changed,
      leaks > 0 ? `${leaks} secrets were read by read_file` : null,
      later.includes('PLANTED') ? 'a later call ran what was planted' : null,
      oddFile(join(work.scratch, 'run')) ?? (way.workdirMode === 'rw' ? oddFile(work.folder) : null),
      beats(work) ? 'a daemon is alive' : null,
    ];
    return { outcome, elapsedMs, got: got.find((one) => one !== null) ?? null };
  } finally {
    work.close();
  }
}

/** `read_file` is outside the sandbox: what it opens must be what it gives. */
async function readMeanwhile(
  toolbox: ReturnType<typeof createToolbox>,
  running: Promise<unknown>,
  { secret }: Host,
): Promise<number> {
  let leaks = 0;
  const done = new AbortController();
  void running.finally(() => done.abort());
  for (let index = 0; !done.signal.aborted; index += 1) {
    const path = index % 2 === 0 ? 'swapped' : 'swapped/secret.txt';
    const { content } = await toolbox.run(
      { id: `read-${index}`, name: 'read_file', input: { path } },
      new AbortController().signal,
    );
    if (content.includes(secret)) leaks += 1;
  }
  return leaks;
}

/** A file that is none, or one that runs as its owner. */
function oddFile(folder: string): string | null {
  if (!existsSync(folder)) return null;
  const odd = readdirSync(folder, { withFileTypes: true }).find((entry) => {
    if (entry.name === 'inside.sock') return false;
    const stats = lstatSync(join(folder, entry.name));
    const isPlain = stats.isFile() || stats.isDirectory() || stats.isSymbolicLink();
    return !isPlain || (stats.isFile() && (stats.mode & 0o6000) !== 0);
  });
  return odd === undefined ? null : `an odd file: ${odd.name}`;
}

function beats({ scratch, folder }: Workspace): boolean {
  return [join(scratch, 'run', 'alive'), join(folder, 'alive')].some(
    (path) => existsSync(path) && Date.now() - statSync(path).mtimeMs < 300,
  );
}

/** One sentence that is true of each limit. */
const SAID: Readonly<Record<string, RegExp>> = {
  many_processes: /stopped: .*unavailable|had more than 24 processes/,
  many_threads: /stopped: can't start|had more than 24 processes/,
  much_memory: /Cannot allocate memory|had more than 192 MB of memory/,
  much_memory_together: /had more than 192 MB of memory/,
  large_file: /File too large/,
  large_files: /had more than 40 MB of files/,
  many_files: /had more than 1500 files/,
  files_without_names: /had more than 40 MB of files/,
  memory_without_a_process: /had more than 192 MB of memory/,
  files_in_a_closed_folder: /had more than 40 MB of files/,
  files_too_deep: /had more than 1500 files/,
  full_tmp: /No space left|had more than 40 MB of files/,
  endless_output: /had more than 4 MB of output/,
  endless_errors: /had more than 4 MB of output/,
  busy: /time limit of 1.2 s/,
  asleep: /time limit of 1.2 s/,
  stopped: /time limit of 1.2 s/,
  deaf: /time limit of 1.2 s/,
};

function attemptsIn({ workdirMode }: Way): readonly string[] {
  return ATTEMPT_NAMES.filter(
    (name) => name !== 'innocent' && !(workdirMode === 'rw' ? ONLY_RO : ONLY_RW).test(name),
  );
}

/** Tests of a sandbox. `out`: attempts that it is known not to hold. */
export function testEscapes(way: Way, out: readonly string[] = []): void {
  const names = attemptsIn(way);
  describe(`${way.sandbox}, workspace ${way.workdirMode}: of ${names.length} attempts`, () => {
    let host: Host;
    beforeAll(async () => {
      host = await startHost();
    });
    afterAll(() => host.close());

    it.each(names.map((name) => [name, out.includes(name) ? 'gets out, as is known' : 'is held'] as const))(
      '%s %s',
      async (name) => {
        const { got, outcome, elapsedMs } = await tryOnce(host, way, name);
        if (!out.includes(name)) expect(got).toBeNull();
        else expect(got).not.toBeNull();
        expect(elapsedMs).toBeLessThan((ENDLESS.includes(name) ? SHORT_MS : TIMEOUT_MS) + 2_000);
        const said = SAID[name];
        if (said !== undefined) expect(outcome.content).toMatch(said);
      },
    );
  });
}

/** Attempts that do what they try where nothing confines them. The others need what a host may not have, or harm it. */
const CONTROLS = [
  'read_accounts',
  'read_home',
  'read_sibling',
  'read_relative',
  'read_host_tmp',
  'read_link_made',
  'read_link_found',
  'read_hard_link',
  'read_any_environment',
  'read_root_of_process',
  'read_folder_of_process',
  'read_descriptors_of_process',
  'list_processes',
  'state_folder_read',
  'state_folder_names',
  'names_as_they_are_used',
  'mode_outside',
  'mode_outside_by_descriptor',
  'times_outside',
  'host_sockets',
  'write_host_folders',
  'write_host_tmp',
  'write_host_memory',
  'git_hook',
  'git_moved',
  'editor_tasks',
  'shell_settings',
  'package_code',
  'project_settings',
  'state_folder_write',
  'state_folder_moved',
  'python_of_user',
  'fifo',
  'socket_node',
  'socket_file',
  'tcp_loopback',
  'socket_of_host',
  'socket_in_workspace',
  'socket_abstract',
  'datagram_to_host',
  'datagram_to_host_raw',
  'datagram_in_workspace',
  'socket_netlink',
  'shared_memory_posix',
  'shared_memory_system_v',
  'shared_memory_by_number',
  'shared_memory_listed',
  'queue_by_number',
  'queue_removed',
  'signal_victim',
  'signal_runner',
  'slow_victim',
  'limit_victim',
  'trace_child',
  'new_privileges',
  'personality',
  'many_processes',
  'many_threads',
  'much_memory',
  'large_file',
] as const;

/**
 * Shows that the attempts are real: without a sandbox they succeed. Only where TURNSTILE_CONTROLS says that this machine is
 * there to be thrown away, as `.ci/run` does: no one's host is to be changed by tests.
 */
export function testControls(): void {
  const way = { sandbox: 'none', workdirMode: 'rw' } as const;
  describe.runIf(process.env['TURNSTILE_CONTROLS'] === '1')('without a sandbox', () => {
    let host: Host;
    beforeAll(async () => {
      host = await startHost();
    });
    afterAll(() => host.close());

    it.each(CONTROLS)('%s succeeds', async (name) => {
      expect((await tryOnce(host, way, name)).got).not.toBeNull();
    });
  });
}
