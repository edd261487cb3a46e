/** Globs, as matchers that take linear time: a pattern comes from the model, and may not hold up the program. */
import { RE2JS } from 're2js';

/**
 * Matches a path with `/` between its names: `*` and `?` within one name, `**` across folders, `[a-z]`, `[!a-z]`,
 * `{a,b}`, `\` before a character that stands for itself. Names that begin with a dot are names like others.
 * @throws {Error} when it is no glob
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const pattern = RE2JS.compile(sourceOf(normalized(glob)), RE2JS.DOTALL);
  return (path) => pattern.testExact(path);
}

/** Folders between the start and what can match. */
export const depthOf = (glob: string): number =>
  glob.includes('**') ? Infinity : normalized(glob).split('/').length - 1;

/** A path may be written as one: from the folder it counts from, with the slash of a folder. */
const normalized = (glob: string): string => glob.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '') || '*';

const TOKEN = /\\.|\[!?\]?[^\]/]*\]|(?<=^|\/)\*\*\/|\*+|[^]/gu;

function sourceOf(glob: string): string {
  const isBraced = hasBalancedBraces(glob);
  let depth = 0;
  return glob.replaceAll(TOKEN, (token, offset: number) => {
    if (token === '**/') return '(?:[^/]+/)*';
    if (token === '**' && /(^|\/)\*\*$/.test(glob) && offset === glob.length - 2) return '.+';
    if (token.startsWith('*')) return '[^/]*';
    if (token === '?') return '[^/]';
    if (token.startsWith('[') && token.length > 1) return classOf(token);
    if (token.startsWith('\\') && token.length > 1) return RE2JS.quote(token.slice(1));
    if (isBraced && token === '{') depth += 1;
    if (isBraced && token === '}') depth -= 1;
    if (isBraced && token === '{') return '(?:';
    if (isBraced && token === '}') return ')';
    return depth > 0 && token === ',' ? '|' : RE2JS.quote(token);
  });
}

/** Braces without a partner are characters. */
function hasBalancedBraces(glob: string): boolean {
  let depth = 0;
  for (const [token] of glob.matchAll(TOKEN)) {
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function classOf(token: string): string {
  const isNegated = token.startsWith('[!');
  const characters = token.slice(isNegated ? 2 : 1, -1).replaceAll(/[\\[\]^]/g, String.raw`\$&`);
  return `[${isNegated ? '^/' : ''}${characters}]`;
}
