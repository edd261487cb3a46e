/** Where a link of the workspace leads. */
import { join, relative, sep } from 'node:path';
import { pin } from './pin.ts';
import { refusalAt, type Place, type Refused } from './place.ts';
import { nearestReal } from './workspace-path.ts';

export type Leads =
  | { readonly to: Refused | 'nothing' }
  | { readonly to: 'inside'; /** From the root; that of a folder ends with `/`. */ readonly way: string };

/** Nothing is told of what is outside: not even whether it is there. */
export async function leadsOf(place: Place, way: string): Promise<Leads> {
  const path = join(place.root, way);
  try {
    const pinned = await pin(path, { follows: true });
    await pinned.close();
    const refused = pinned.real === null ? 'outside' : refusalAt(place, pinned.real);
    if (refused !== null || pinned.real === null) return { to: refused ?? 'outside' };
    const target = relative(place.root, pinned.real).split(sep).join('/');
    return { to: 'inside', way: pinned.stats.isDirectory() ? `${target}/` : target };
  } catch {
    return { to: refusalAt(place, await nearestReal(path)) ?? 'nothing' };
  }
}

/** Whether anything has this name. */
export async function isThere(path: string): Promise<boolean> {
  try {
    const pinned = await pin(path, { follows: false });
    await pinned.close();
    return true;
  } catch {
    return false;
  }
}
