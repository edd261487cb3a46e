/** Whether a rule is about a call. What cannot be said for sure tightens: it matches `deny` and `ask`, and no `allow`. */
import { Minimatch } from 'minimatch';
import { RE2JS } from 're2js';
import type { Matcher, Rule } from '../ports.ts';

/** Where a path argument leads. */
export interface Places {
  /** Every name that the file is known by: relative to the workspace, absolute where it lies outside. `.` is the workspace. */
  readonly paths: readonly string[];
  readonly isInside: boolean;
}

/** What the matching of paths has to know of the file system. */
export interface Workspace {
  readonly placesOf: (path: string) => Places;
  /** Its file system takes `A` and `a` for the same name. */
  readonly isCaseBlind: boolean;
}

/** A call as it would run. */
export interface Subject {
  readonly tool: string;
  /** As its schema has read it, defaults filled in. */
  readonly parsed: unknown;
  /** As it was sent: a schema may trim it, or make something else than text of it. */
  readonly sent: unknown;
}

type Sure = 'yes' | 'no' | 'unsure';
type Test = (text: string) => Sure;

/** @returns whether the rule is about the call */
export function compileMatch(rule: Rule, workspace: Workspace): (subject: Subject) => boolean {
  const { tool, match } = rule;
  const isOf = (subject: Subject): boolean => tool === '*' || tool === subject.tool;
  if (match === undefined) return isOf;
  const test = testOf(match, workspace);
  return (subject) => isOf(subject) && decides(rule, subject, match.argument, test);
}

/** An argument is a text or a list of texts; each of them counts. A number is no text, but may become one. */
function decides({ verdict }: Rule, { parsed, sent }: Subject, argument: string, test: Test): boolean {
  const read = textsOf(fieldOf(parsed, argument));
  const asSent = textsOf(fieldOf(sent, argument));
  if (verdict !== 'allow')
    return asSent.isDeep || [...read.spelled, ...asSent.spelled].some((text) => test(text) !== 'no');
  const { texts, isAll } = read.texts.length > 0 ? read : asSent;
  return isAll && texts.length > 0 && texts.every((text) => test(text) === 'yes');
}

interface Texts {
  readonly texts: readonly string[];
  /** There is nothing in the argument that was not looked at. */
  readonly isAll: boolean;
  /** Texts, and what else can be written as one. */
  readonly spelled: readonly string[];
  /** There is an object or a list in a list: texts may stand anywhere in it. */
  readonly isDeep: boolean;
}

function textsOf(value: unknown): Texts {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = values.filter((item) => typeof item === 'string');
  const isDeep = values.some((item) => typeof item === 'object' && item !== null);
  const spelled = values.filter((item) => item != null && typeof item !== 'object').map(String);
  return { texts, isAll: texts.length === values.length, spelled, isDeep };
}

const fieldOf = (input: unknown, argument: string): unknown =>
  typeof input === 'object' && input !== null && Object.hasOwn(input, argument)
    ? Object.getOwnPropertyDescriptor(input, argument)?.value
    : undefined;

const sure = (isSo: boolean): Sure => (isSo ? 'yes' : 'no');

function testOf(match: Matcher, workspace: Workspace): Test {
  if ('glob' in match) return globTest(match.glob, workspace);
  if ('regex' in match) return regexTest(match.regex);
  if ('contains' in match) return (text) => sure(text.includes(match.contains));
  if ('atLeast' in match) return (text) => sure(text.length >= match.atLeast);
  return (text) => sure(text.length <= match.atMost);
}

/** A file that has two names, through a link, is allowed by both, and denied by one. What lies outside is never allowed. */
function globTest(glob: string, { placesOf, isCaseBlind }: Workspace): Test {
  const isMatch = globMatcher(glob, isCaseBlind);
  return (text) => {
    const { paths, isInside } = placesOf(text);
    const matched = paths.filter(isMatch).length;
    if (matched === 0) return 'no';
    return isInside && matched === paths.length ? 'yes' : 'unsure';
  };
}

/** `data/**` is also about `data` itself: a tool that is given a folder looks into it. */
function globMatcher(glob: string, isCaseBlind: boolean): (path: string) => boolean {
  const composed = glob.normalize('NFC').replace(/^(\.\/)+(?=.)/, '');
  const folder = composed.replace(/(\/\*\*)+\/?$/, '');
  const globs = (folder === composed ? [composed] : [composed, folder]).map(
    (pattern) =>
      new Minimatch(pattern, {
        dot: true,
        noext: true,
        nocomment: true,
        nonegate: true,
        nocase: isCaseBlind,
        // A backslash escapes, on all systems alike.
        platform: 'linux',
      }),
  );
  const isOfAll = composed === '**' || composed === '.';
  return (path) => (path === '.' ? isOfAll : globs.some((pattern) => pattern.match(path.normalize('NFC'))));
}

/** A longer text is not searched: the time of a search grows with it. */
const MAX_SEARCHED = 50_000;

function regexTest(regex: string): Test {
  const compiled = RE2JS.compile(regex);
  return (text) => (text.length > MAX_SEARCHED ? 'unsure' : sure(compiled.test(text)));
}
