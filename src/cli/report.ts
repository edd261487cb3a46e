/** stdout: the answer, or JSON, and nothing else. */
import { resultDocument } from '../journal/result-document.ts';
import type { JournalLine, RunResult } from '../ports.ts';
import { redactJson } from '../text/redact.ts';
import { visible } from '../text/visible.ts';
import { jsonOf, Output, writeAll, type Io } from './io.ts';
import type { RunOptions } from './options.ts';

export interface Reporter {
  /** A line of the journal, once it is recorded. */
  line(line: JournalLine): void;
  /**
   * `wasStreamed`: the person at the terminal has read the text already.
   * @throws {UserError} when this or an earlier line could not be written
   */
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
  const maskedOf = (value: unknown): string => jsonOf(redactJson(value, redact));
  const lines = new Output(stdout);
  return {
    line: (line) => {
      // The last line comes with the result: it knows the exit code.
      if (output === 'stream-json' && line.type !== 'run.ended') lines.write(maskedOf(line));
    },
    result: async (result, exitCode, { lines: recorded, wasStreamed }) => {
      await lines.flushed();
      const document = { ...resultDocument(result, recorded), exit_code: exitCode };
      if (output === 'json') await writeAll(stdout, maskedOf(document));
      else if (output === 'stream-json')
        await writeAll(stdout, maskedOf({ type: 'run.ended', result: document }));
      else if (result.state === 'stopped' && result.answer !== '') {
        const isOnScreen = wasStreamed && result.answerFrom === 'closing_turn';
        if (!isOnScreen) await writeAll(stdout, `${visible(redact(result.answer))}\n`);
      }
    },
  };
}
