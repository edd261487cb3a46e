/** A proof as text: with its bounds, and with what it does not show. */
import type { Proof } from './prove.ts';
import { describePath } from './describe.ts';

export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const count = (value: number | null): string =>
  value === null ? 'more than 20,000' : value.toLocaleString('en-US');

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const summaryOf = ({ configurations, coverage, refusals, breaches }: Proof): string => {
  const { transitions, missedTransitions, guards, missedAnswers } = coverage;
  const taken = transitions - missedTransitions.length;
  const answers = 2 * guards - missedAnswers.length;
  return [
    `${configurations.length} configurations, ${count(sum(configurations.map(({ states }) => states)))} states, ${count(sum(configurations.map(({ edges }) => edges)))} edges`,
    `${taken} of ${transitions} transitions taken, ${answers} of ${2 * guards} answers of guards seen`,
    ...missedTransitions.map((name) => `  not taken: ${name}`),
    ...missedAnswers.map((answer) => `  not seen: ${answer}`),
    `${count(refusals)} facts that must not happen were refused, as they have to be`,
    breaches.length === 0
      ? 'Within these bounds no step breaks the contract.'
      : `${breaches.length} paths break the contract:`,
    ...breaches.slice(0, 20).map((breach) => `  ${breach}`),
  ].join('\n');
};

export const configurationTable = ({ configurations }: Proof): string =>
  tableOf(
    ['configuration', 'states', 'edges', 'simple paths to a stop'],
    configurations.map(({ name, states, edges, simplePaths }) => [
      name,
      count(states),
      count(edges),
      count(simplePaths),
    ]),
  );

export const witnessTable = ({ witnesses }: Proof): string =>
  tableOf(
    ['stop reason', 'shortest way there'],
    Object.entries(witnesses)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([reason, path]) => [`\`${reason}\``, describePath(path)]),
  );
