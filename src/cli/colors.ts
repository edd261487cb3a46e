import pc from 'picocolors';

export type Colors = Pick<ReturnType<typeof pc.createColors>, 'dim' | 'red' | 'green' | 'yellow' | 'bold'>;

/** Flags beat NO_COLOR, which beats what the terminal can do. */
export function colorsFor(
  flag: boolean | undefined,
  env: NodeJS.ProcessEnv,
  stream: { readonly isTTY?: boolean },
): Colors {
  const isWanted = stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  return pc.createColors(flag ?? isWanted);
}
