import { LineMask, MIN_LENGTH, ValueMask, type PieceMask } from './mask-pieces.ts';

export type { PieceMask } from './mask-pieces.ts';

/**
 * Masks secrets in a text. One of `createRedactor` also masks text that comes in pieces; any other function is then
 * given whole lines.
 */
export interface Redactor {
  (text: string): string;
  readonly pieces?: () => PieceMask;
}

/** Masks every occurrence of the secrets that have at least 8 characters; those that overlap get one mask. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const values = [...new Set(secrets)].filter((secret) => secret.length >= MIN_LENGTH);
  const pieces = (): PieceMask => new ValueMask(values);
  const whole = (text: string): string => {
    const mask = pieces();
    return mask.push(text) + mask.end({ isCut: false });
  };
  return Object.assign(whole, { pieces });
}

/** For a text that comes in pieces. */
export const pieceMask = (redact: Redactor): PieceMask => redact.pieces?.() ?? new LineMask(redact);

/** The pieces of a whole text, masked. */
export async function* maskPieces(pieces: AsyncIterable<string>, redact: Redactor): AsyncGenerator<string> {
  const mask = pieceMask(redact);
  for await (const piece of pieces) yield mask.push(piece);
  yield mask.end({ isCut: false });
}

/** Masks the texts of a JSON value, its keys included: masking the JSON itself could break it. */
export function redactJson(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item: unknown) => redactJson(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [redact(key), redactJson(field, redact)]),
  );
}

const SECRET_NAME =
  /PASSWORD|PASSWD|PASSPHRASE|AUTH_?TOKEN|_PWD$|(^|_)AUTH$|(^|_)(API_?KEYS?|KEYS?|TOKENS?|SECRETS?|PASS|PAT|CREDENTIALS?|DSN|DATABASE_URL)(_|$)/i;

/** The password of an address: from the first colon behind the user to the last @ before the path. */
const PASSWORD_IN_URL = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#:@]*:([^\s/?#]+)@/gi;

/**
 * Values of the environment variables whose name says that they are secret, and the passwords of addresses in all
 * others, both as written and decoded. Blanks around a value are left out, as they are where it is sent: the key that
 * comes back in a text has none. Values under 8 characters are left out.
 */
export const secretsOf = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(env)
    .flatMap(([name, value = '']) => [
      ...(SECRET_NAME.test(name) ? [value.trim()] : []),
      ...passwordsIn(value),
    ])
    .filter((value) => value.length >= MIN_LENGTH);

const passwordsIn = (value: string): readonly string[] =>
  Array.from(value.matchAll(PASSWORD_IN_URL), ([, password = '']) => password).flatMap((password) => {
    const plain = decoded(password);
    return plain === password ? [password] : [password, plain];
  });

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A lone % is no escape.
  }
}
