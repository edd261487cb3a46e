/** Shorter values are likely to occur by chance, and masking them would garble text without hiding anything. */
const MIN_LENGTH = 8;

const MASK = '[redacted]';

/** Masks every occurrence of the secrets that have at least 8 characters; longer ones first, as one may hold another. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const values = [...new Set(secrets)]
    .filter((secret) => secret.length >= MIN_LENGTH)
    .toSorted((a, b) => b.length - a.length);
  return (text) => values.reduce((masked, secret) => masked.replaceAll(secret, () => MASK), text);
}

const SECRET_NAME =
  /PASSWORD|PASSWD|_PWD$|(^|_)(API_?KEYS?|KEYS?|TOKENS?|SECRETS?|PASS|PAT|CREDENTIALS?|DSN|DATABASE_URL)(_|$)/i;

/**
 * Values of the environment variables whose name says that they are secret. Blanks around a value are left out, as
 * they are where it is sent: the key that comes back in a text has none.
 */
export const secretsOf = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(env)
    .filter(([name]) => SECRET_NAME.test(name))
    .map(([, value = '']) => value.trim())
    .filter((value) => value.length >= MIN_LENGTH);
