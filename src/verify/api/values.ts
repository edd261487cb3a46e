/** Reading JSON whose shape is not known. */
export interface Fields {
  readonly [field: string]: unknown;
}

export interface Refusal {
  readonly status: number;
  /** `error.type` of the API. */
  readonly type: string;
  readonly message: string;
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** As it can be shown or compared, whatever it is. Not by `String`: that throws where JSON holds its own `toString`. */
export const wordOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

export const invalid = (message: string): Refusal => ({
  status: 400,
  type: 'invalid_request_error',
  message,
});

/** The first refusal, or null. */
export function firstOf<Item>(
  items: readonly Item[],
  check: (item: Item, index: number) => Refusal | null,
): Refusal | null {
  for (const [index, item] of items.entries()) {
    const refusal = check(item, index);
    if (refusal !== null) return refusal;
  }
  return null;
}
