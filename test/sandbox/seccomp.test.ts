import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seccompFilter } from '../../src/sandbox/seccomp.ts';
import { ABSENT, REFUSED, SHARED, UNDONE } from '../../src/sandbox/syscalls.ts';
import { ARM64, verdictOf, X64, type SystemCall } from './bpf.ts';

const inNamespaces = seccompFilter({ arch: 'x64', sockets: 'internet', hasNamespaces: true });
const outside = seccompFilter({ arch: 'x64', sockets: 'none', hasNamespaces: false });
const outsideOnArm = seccompFilter({ arch: 'arm64', sockets: 'none', hasNamespaces: false });
const arm = seccompFilter({ arch: 'arm64', sockets: 'internet', hasNamespaces: true });

const SETUID = 0o4755;
const SETGID = 0o2755;

describe('the filter of system calls', () => {
  it.each(Object.entries(REFUSED))('refuses %s on both processors', (_name, [x64, arm64]) => {
    if (x64 !== null) expect(verdictOf(inNamespaces, { number: x64 })).toBe('EPERM');
    if (arm64 !== null) expect(verdictOf(arm, { number: arm64, architecture: ARM64 })).toBe('EPERM');
  });

  it.each(Object.entries(ABSENT))(
    'says that there is no %s, so that the older call is taken',
    (_name, [x64, arm64]) => {
      expect(verdictOf(inNamespaces, { number: Number(x64) })).toBe('ENOSYS');
      expect(verdictOf(arm, { number: Number(arm64), architecture: ARM64 })).toBe('ENOSYS');
    },
  );

  it.each([
    ...Object.entries(SHARED).map(([name, numbers]) => ({ name, numbers, is: 'EPERM' })),
    ...Object.entries(UNDONE).map(([name, numbers]) => ({ name, numbers, is: 'answered as if done' })),
  ])('only where no namespace holds it, $name is $is', ({ numbers: [x64, arm64], is }) => {
    expect(verdictOf(outside, { number: Number(x64) })).toBe(is);
    expect(verdictOf(inNamespaces, { number: Number(x64) })).toBe('allowed');
    if (arm64 === null) return;
    expect(verdictOf(outsideOnArm, { number: arm64, architecture: ARM64 })).toBe(is);
    expect(verdictOf(arm, { number: arm64, architecture: ARM64 })).toBe('allowed');
  });

  it.each<{ what: string; call: SystemCall; is: string }>([
    { what: 'read', call: { number: 0 }, is: 'allowed' },
    { what: 'write', call: { number: 1 }, is: 'allowed' },
    { what: 'execve', call: { number: 59 }, is: 'allowed' },
    { what: 'openat of a new file', call: { number: 257, args: [-100, 0, 0o101, 0o644] }, is: 'allowed' },
    {
      what: 'openat of a new setuid file',
      call: { number: 257, args: [-100, 0, 0o101, SETUID] },
      is: 'EPERM',
    },
    { what: 'open of a new setgid file', call: { number: 2, args: [0, 0o101, SETGID] }, is: 'EPERM' },
    { what: 'creat of a setuid file', call: { number: 85, args: [0, SETUID] }, is: 'EPERM' },
    { what: 'chmod', call: { number: 90, args: [0, 0o755] }, is: 'allowed' },
    { what: 'chmod with setuid', call: { number: 90, args: [0, SETUID] }, is: 'EPERM' },
    { what: 'fchmod with setgid', call: { number: 91, args: [3, SETGID] }, is: 'EPERM' },
    { what: 'fchmodat with setuid', call: { number: 268, args: [-100, 0, SETUID] }, is: 'EPERM' },
    { what: 'fchmodat2 with setuid', call: { number: 452, args: [-100, 0, SETUID, 0] }, is: 'EPERM' },
    { what: 'mknodat of a FIFO', call: { number: 259, args: [-100, 0, 0o010_644] }, is: 'EPERM' },
    { what: 'mknod of a FIFO', call: { number: 133, args: [0, 0o010_644] }, is: 'EPERM' },
    { what: 'mknod of a socket', call: { number: 133, args: [0, 0o140_644] }, is: 'EPERM' },
    { what: 'mknodat of a socket', call: { number: 259, args: [-100, 0, 0o140_644] }, is: 'EPERM' },
    { what: 'mknod of a plain file', call: { number: 133, args: [0, 0o100_644] }, is: 'allowed' },
    { what: 'clone as fork does', call: { number: 56, args: [17] }, is: 'allowed' },
    { what: 'clone as threads do', call: { number: 56, args: [0x3d0f00] }, is: 'allowed' },
    ...[0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000].map(
      (flag) => ({
        what: `clone into a namespace (${flag.toString(16)})`,
        call: { number: 56, args: [flag | 17] },
        is: 'EPERM',
      }),
    ),
    { what: 'ioctl of a window', call: { number: 16, args: [0, 0x5413] }, is: 'allowed' },
    { what: 'TIOCSTI', call: { number: 16, args: [0, 0x5412] }, is: 'EPERM' },
    { what: 'TIOCSTI with bits above', call: { number: 16, args: [0, 0x1_0000_5412] }, is: 'EPERM' },
    { what: 'TIOCLINUX', call: { number: 16, args: [0, 0x541c] }, is: 'EPERM' },
    { what: 'ioctl that sets flags of a file', call: { number: 16, args: [3, 0x4008_6602] }, is: 'EPERM' },
    { what: 'ioctl that reads flags of a file', call: { number: 16, args: [3, 0x8008_6601] }, is: 'allowed' },
    { what: 'a pair of streams', call: { number: 53, args: [1, 0o2_000_001] }, is: 'allowed' },
    { what: 'a pair of packet streams', call: { number: 53, args: [1, 0o2_004_005] }, is: 'allowed' },
    { what: 'a pair for datagrams', call: { number: 53, args: [1, 0o2_000_002] }, is: 'EPERM' },
    { what: 'a pair for datagrams, called raw', call: { number: 53, args: [1, 3] }, is: 'EPERM' },
    { what: 'a pair of family 30', call: { number: 53, args: [30, 1] }, is: 'EPERM' },
    { what: 'a socket of IPv4', call: { number: 41, args: [2] }, is: 'allowed' },
    { what: 'a socket of IPv6', call: { number: 41, args: [10] }, is: 'allowed' },
    ...[1, 16, 17, 31, 40].map((family) => ({
      what: `a socket of family ${family}`,
      call: { number: 41, args: [family] },
      is: 'EPERM',
    })),
    { what: 'read by its second number', call: { number: 0x4000_0000 }, is: 'EPERM' },
    { what: 'read on another processor', call: { number: 0, architecture: 0x4000_0003 }, is: 'killed' },
  ])('$what is $is', ({ call, is }) => {
    expect(verdictOf(inNamespaces, call)).toBe(is);
  });

  it.each([
    { what: 'a socket of any kind', call: { number: 41, args: [2] }, is: 'EPERM' },
    { what: 'a pair of sockets', call: { number: 53, args: [1, 1] }, is: 'allowed' },
    { what: 'chmod with setuid', call: { number: 90, args: [0, SETUID] }, is: 'EPERM' },
    { what: 'limits of its own', call: { number: 302, args: [0] }, is: 'allowed' },
    { what: 'limits of another process', call: { number: 302, args: [4_711] }, is: 'EPERM' },
  ])('without namespaces $what is $is', ({ call, is }) => {
    expect(verdictOf(outside, call)).toBe(is);
  });

  it('comes to an end for every call with every argument', () => {
    const call = fc.record({
      number: fc.oneof(fc.nat(500), fc.nat(0xffff_ffff)),
      args: fc.array(fc.maxSafeInteger(), { minLength: 6, maxLength: 6 }),
      architecture: fc.constantFrom(X64, ARM64),
    });
    fc.assert(
      fc.property(call, fc.constantFrom(inNamespaces, outside, arm), (made, filter) => {
        expect(['allowed', 'EPERM', 'ENOSYS', 'killed', 'answered as if done']).toContain(
          verdictOf(filter, made),
        );
      }),
    );
  });

  it('knows no other processor', () => {
    expect(() => seccompFilter({ arch: 'mips', sockets: 'none', hasNamespaces: true })).toThrow(RangeError);
  });
});
