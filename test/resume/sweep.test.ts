import { describe, expect, it } from 'vitest';
import { newTally, sweep, sweepRows, TEARS } from './sweep.ts';

/** SWEEP=all dies after every fact of every path, also where another one began in the same way. */
const rows = sweepRows(process.env['SWEEP'] === 'all');
const crashes = rows.reduce((sum, row) => sum + row.crashes, 0);

describe(`the crash sweep: ${crashes} crashes, and ${crashes * TEARS} torn lines: nothing is lost or done twice`, () => {
  it.each(rows)(
    '$name: $crashes crashes on $count paths',
    { timeout: 300_000 },
    async ({ configuration, paths, crashes: expected }) => {
      const tally = newTally();
      const faults: string[] = [];
      for (const path of paths) faults.push(...(await sweep(path, configuration, tally)));
      expect(faults).toEqual([]);
      expect(tally).toMatchObject({ crashes: expected, tears: expected * TEARS });
      expect(tally.same + tally.other).toBe(expected);
      // Few of them may end in another way, and most do not.
      expect(tally.same).toBeGreaterThanOrEqual(expected * 0.8);
    },
  );
});
