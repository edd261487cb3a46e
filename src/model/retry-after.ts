/** What a server asks for when it says "later". */

/**
 * Milliseconds to wait by `retry-after-ms`, else by `retry-after` (seconds, or an HTTP date).
 * @param now wall time, milliseconds since 1970
 * @returns a whole number ≥ 0; null where nothing usable was asked for
 */
export function retryAfterOf(headers: Headers, now: number): number | null {
  const milliseconds = numberOf(headers.get('retry-after-ms'));
  if (milliseconds !== null) return wholeMs(milliseconds);
  const asked = headers.get('retry-after');
  const seconds = numberOf(asked);
  if (seconds !== null) return wholeMs(seconds * 1_000);
  const wait = httpDate.test(asked ?? '') ? Date.parse(asked ?? '') - now : Number.NaN;
  return wait >= 0 ? wholeMs(wait) : null;
}

/** `Date.parse` takes almost anything ("-1" is a year to it), so the form is checked first. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

const numberOf = (text: string | null): number | null =>
  text !== null && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : null;

const wholeMs = (ms: number): number => Math.min(Math.ceil(ms), Number.MAX_SAFE_INTEGER);
