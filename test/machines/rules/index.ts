import type { Rule } from '../support.ts';
import { budgetRules } from './budget.ts';
import { callRules } from './calls.ts';
import { requestRules } from './requests.ts';
import { resumeRules } from './resume.ts';
import { summaryRules } from './summary.ts';
import { turnRules } from './turns.ts';

export const rules: readonly Rule[] = [
  ...turnRules,
  ...budgetRules,
  ...callRules,
  ...requestRules,
  ...resumeRules,
  ...summaryRules,
];
