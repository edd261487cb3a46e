/** The command is tested as it ships: compiled. */
import { execFileSync } from 'node:child_process';

export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
}
