/** stdout: the answer, or JSON, and nothing else. */
import { resultDocument } from '../journal/result-document.ts';
import type { JournalLine, RunResult } from '../ports.ts';
import { visible } from '../text/visible.ts';
import { writeAll, type Io } from './io.ts';
import type { RunOptions } from './options.ts';

export interface Reporter {
  /** A line of the journal, once it is recorded. */
  line(line: JournalLine): void;
  /** `wasStreamed`: the person at the terminal has read the text already. */
  result(
    result: RunResult,
    exitCode: number,
    options: { readonly lines: readonly JournalLine[]; readonly wasStreamed: boolean },
  ): Promise<void>;
}

export function createReporter(
  output: RunOptions['output'],
  { stdout }: Io,
  redact: (text: string) => string,
): Reporter {
  const writeJson = (value: unknown): Promise<void> => writeAll(stdout, redact(`${JSON.stringify(value)}\n`));
  return {
    line: (line) => {
      // The last line comes with the result: it knows the exit code.
      if (output === 'stream-json' && line.type !== 'run.ended') void writeJson(line);
    },
    result: async (result, exitCode, { lines, wasStreamed }) => {
      const document = { ...resultDocument(result, lines), exit_code: exitCode };
      if (output === 'json') await writeJson(document);
      else if (output === 'stream-json') await writeJson({ type: 'run.ended', result: document });
      else if (result.state === 'stopped' && result.answer !== '') {
        const isOnScreen = wasStreamed && result.answerFrom === 'closing_turn';
        if (!isOnScreen) await writeAll(stdout, redact(`${visible(result.answer)}\n`));
      }
    },
  };
}
