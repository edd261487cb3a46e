import * as fc from 'fast-check';
import type { Matcher, Rule } from '../../src/ports.ts';
import { rulesSchema } from '../../src/rules/schema.ts';

export const VERDICTS = ['allow', 'ask', 'deny'] as const;

const value = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.constantFrom('data/**', '*.csv', 'a', ')', '=', '/'),
  )
  .filter((text) => text !== '' && text.isWellFormed());
const argument = fc.constantFrom('path', 'code', 'paths', 'a.b');
const size = fc.nat(20_000);

const matcher: fc.Arbitrary<Matcher> = fc.oneof(
  fc.record({ argument, glob: value }),
  fc.record({ argument, contains: value }),
  fc.record({ argument, regex: value }),
  fc.record({ argument, atLeast: size }),
  fc.record({ argument, atMost: size }),
);

const rule: fc.Arbitrary<Rule> = fc
  .record({
    tool: fc.constantFrom('*', 'read_file', 'run_python'),
    verdict: fc.constantFrom(...VERDICTS),
    match: fc.option(matcher),
  })
  .map(({ match, ...head }) => (match === null ? head : { ...head, match }));

/** Only rules that are ones: some regular expressions are refused. */
export const anyRule = rule.filter((one) => rulesSchema.safeParse([one]).success);
