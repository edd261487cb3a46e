import type { Delta } from '../ports.ts';

/** An observer that can neither break the response nor flood the log: its first error is reported, later ones are not. */
export function tellSafely(
  onDelta: (delta: Delta) => unknown,
  report: (text: string) => void,
): (delta: Delta) => void {
  let isReported = false;
  const fail = (error: unknown): void => {
    if (!isReported) report(`An observer of the response failed: ${String(error)}`);
    isReported = true;
  };
  return (delta) => {
    try {
      const result = onDelta(delta);
      if (result instanceof Promise) result.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}
