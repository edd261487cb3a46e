/** The ways in which a journal can be damaged. */
import type { Row } from '../recorded.ts';
import { CALLS } from './calls.ts';
import { FRAME } from './frame.ts';
import { HISTORY } from './history.ts';
import { MONEY } from './money.ts';

export const DAMAGES: readonly Row[] = [...HISTORY, ...CALLS, ...MONEY, ...FRAME];
