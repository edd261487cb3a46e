import { existsSync, readFileSync } from 'node:fs';

/** Root of the package: where its package.json is, be this file compiled (dist/src/cli) or not (src/cli). */
export function packageRoot(): URL {
  const root = ['../../../', '../../']
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(new URL('package.json', url)));
  if (root === undefined) throw new Error('The package is damaged: its package.json is missing.');
  return root;
}

export function version(): string {
  const json: unknown = JSON.parse(readFileSync(new URL('package.json', packageRoot()), 'utf8'));
  return typeof json === 'object' && json !== null && 'version' in json ? String(json.version) : 'unknown';
}
