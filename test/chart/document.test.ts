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
    { source: '/** One line. */\nexport const isOne = 1;', docs: [['isOne', 'One line.']] },
    {
      source: '/**\n * Two\n * lines.\n */\nexport const isTwo = 2;\n/** Three. */\nexport const isThree = 3;',
      docs: [
        ['isTwo', 'Two lines.'],
        ['isThree', 'Three.'],
      ],
    },
    { source: '/** A file. */\nimport x;\nexport const isBare = 1;', docs: [] },
    { source: '/** Private. */\nconst isPrivate = 1;', docs: [] },
  ])('reads $docs from $source', ({ source, docs }) => {
    expect([...docsOf(source)]).toEqual(docs);
  });
});
