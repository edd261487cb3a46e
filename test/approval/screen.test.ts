import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createScreen, type Screen } from '../../src/approval/screen.ts';

function screenOn(stream = new PassThrough()): { screen: Screen; shown: () => string } {
  let shown = '';
  stream.on('data', (chunk: Buffer) => {
    shown += chunk.toString('utf8');
  });
  return { screen: createScreen(stream), shown: () => shown };
}

describe('lines', () => {
  it.each<readonly [title: string, write: (screen: Screen) => void, shown: string]>([
    ['the first line starts at once', (screen) => screen.line('a'), 'a\n'],
    [
      'a line after text starts a line',
      (screen) => {
        screen.write('text');
        screen.line('a');
      },
      'text\na\n',
    ],
    [
      'a line after a whole line needs no more',
      (screen) => {
        screen.write('text\n');
        screen.line('a');
      },
      'text\na\n',
    ],
    [
      'colours after the end of a line do not move the cursor',
      (screen) => {
        screen.write('\u001B[31mtext\n\u001B[0m');
        screen.line('a');
      },
      '\u001B[31mtext\n\u001B[0ma\n',
    ],
    [
      'empty text does not either',
      (screen) => {
        screen.write('text');
        screen.write('');
        screen.line('a');
      },
      'text\na\n',
    ],
  ])('%s', (_, write, shown) => {
    const { screen, shown: seen } = screenOn();
    write(screen);
    expect(seen()).toBe(shown);
  });

  it('while it is paused nothing is written; then all of it, in its order and on fresh lines', () => {
    const { screen, shown } = screenOn();
    screen.write('a');
    screen.pause();
    screen.write('b');
    screen.line('c');
    screen.write('d');
    expect(shown()).toBe('a');
    screen.resume();
    expect(shown()).toBe('ab\nc\nd');
  });

  it.each([
    [undefined, 80],
    [0, 80],
    [120, 120],
  ])('a terminal that says %s has %d columns', (columns, expected) => {
    const stream = Object.assign(new PassThrough(), columns === undefined ? {} : { columns });
    expect(createScreen(stream).columns).toBe(expected);
  });
});

describe('converse', () => {
  it('opens one dialog at a time, in their order', async () => {
    const { screen, shown } = screenOn();
    const talk = (name: string) => () =>
      screen.converse(async (dialog) => {
        await dialog.show(`${name} opens\n`);
        await new Promise(setImmediate);
        await dialog.show(`${name} closes\n`);
        return name;
      });
    expect(await Promise.all([talk('a')(), talk('b')()])).toEqual(['a', 'b']);
    expect(shown()).toBe('a opens\na closes\nb opens\nb closes\n');
  });

  it('a dialog that fails fails for its caller alone; the screen goes on', async () => {
    const { screen, shown } = screenOn();
    const failed = screen.converse(() => Promise.reject(new Error('no')));
    const next = screen.converse((dialog) => dialog.show('next'));
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe(true);
    screen.line('after');
    expect(shown()).toBe('next\nafter\n');
  });

  it('show resolves when the text was flushed', async () => {
    const flushes: (() => void)[] = [];
    const slow = new Writable({ write: (_chunk, _encoding, flushed) => void flushes.push(flushed) });
    let isShown = false;
    const open = createScreen(slow).converse(async (dialog) => {
      isShown = await dialog.show('text');
    });
    await new Promise(setImmediate);
    expect(isShown).toBe(false);
    for (const flush of flushes.splice(0)) flush();
    await new Promise(setImmediate);
    expect(isShown).toBe(true);
    for (const flush of flushes.splice(0)) flush();
    await open;
  });
});

describe('a stream that is gone', () => {
  const gone: readonly (readonly [title: string, break_: () => Writable])[] = [
    [
      'destroyed',
      () => {
        const stream = new PassThrough();
        stream.destroy();
        return stream;
      },
    ],
    [
      'ended',
      () => {
        const stream = new PassThrough();
        stream.end();
        return stream;
      },
    ],
    [
      'broken (EPIPE)',
      () =>
        new Writable({
          autoDestroy: false,
          write: (_chunk, _encoding, flushed) =>
            flushed(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
        }),
    ],
  ];

  it.each(gone)('%s: writing is quiet, and a dialog is told that nobody sees it', async (_, break_) => {
    const screen = createScreen(break_());
    screen.write('a');
    screen.line('b');
    await new Promise(setImmediate);
    expect(await screen.converse((dialog) => dialog.show('c'))).toBe(false);
    screen.line('d');
    await new Promise(setImmediate);
  });
});
