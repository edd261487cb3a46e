const pending = new Set<() => void>();

/** Runs `cleanUp` if this process exits first. Call what is returned when there is nothing left to clean up. */
export function atExit(cleanUp: () => void): () => void {
  // One listener for all: many calls must not trip the warning of too many listeners.
  if (pending.size === 0) process.on('exit', cleanUpAll);
  pending.add(cleanUp);
  return () => {
    pending.delete(cleanUp);
    if (pending.size === 0) process.off('exit', cleanUpAll);
  };
}

function cleanUpAll(): void {
  for (const cleanUp of pending) {
    try {
      cleanUp();
    } catch {
      // The others still have their turn, and an exit code is not to change because of a leftover.
    }
  }
}
