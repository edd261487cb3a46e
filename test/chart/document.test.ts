import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agentLoop } from '../../machines/index.ts';
import { docsOf, statechartDocument } from '../../src/chart/document.ts';

const guardsFile = new URL('../../machines/agent-loop.guards.ts', import.meta.url);

describe('statechartDocument', () => {
  it('is what docs/statechart.md holds', async () => {
    const document = statechartDocument(agentLoop, docsOf(readFileSync(guardsFile, 'utf8')));
    await expect(document).toMatchFileSnapshot('../../docs/statechart.md');
  });
});

describe('docsOf', () => {
  it.each([
    ['a docstring of one line', '/** One line. */\nexport const isOne = 1;', [['isOne', 'One line.']]],
    [
      'a docstring of two lines as one',
      '/**\n * Two\n * lines.\n */\nexport const isTwo = 2;',
      [['isTwo', 'Two lines.']],
    ],
    [
      'each constant by its name',
      '/** A. */\nexport const isA = 1;\n\n/** B. */\nexport const isB = 2;',
      [
        ['isA', 'A.'],
        ['isB', 'B.'],
      ],
    ],
    [
      'nothing for a constant behind a comment of the file',
      '/** File. */\nimport x;\nexport const isA = 1;',
      [],
    ],
    ['nothing for a constant that is not exported', '/** Private. */\nconst isPrivate = 1;', []],
  ])('reads %s', (_title, source, docs) => {
    expect([...docsOf(source)]).toEqual(docs);
  });
});
