// The compiler writes the bin without the executable bit; npm only sets it when it installs the package.
import { chmodSync } from 'node:fs';

chmodSync(new URL('../dist/src/cli/main.js', import.meta.url), 0o755);
