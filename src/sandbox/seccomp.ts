/**
 * A filter of system calls, assembled for the kernel's own small machine (classic BPF): what is not refused is allowed,
 * since no list of what Python and its libraries call would last. Namespaces and Landlock hold the rest.
 */
import {
  ABSENT,
  INTERNET,
  OWN_LIMITS,
  REFUSED,
  REFUSED_WITH,
  SHARED,
  SOCKET,
  UNDONE,
  type Condition,
  type Numbers,
} from './syscalls.ts';

const LOAD = 0x20;
const AND = 0x54;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
/** The caller gets 0, and nothing happens. */
const AS_IF_DONE = 0x0005_0000;

/** Where the kernel puts what is looked at, in bytes; of an argument, its lower half. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const argumentAt = (index: number): number => 16 + 8 * index;

/** x86-64 has a second set of numbers for the same calls, from here on. */
const X32 = 0x4000_0000;

const ARCHITECTURES = { x64: { index: 0, id: 0xc000_003e }, arm64: { index: 1, id: 0xc000_00b7 } } as const;

export interface FilterOptions {
  /** [process.arch] */
  readonly arch?: string;
  /** `internet`: IPv4 and IPv6, for where the network namespace is an own one, or the network is allowed. */
  readonly sockets: 'none' | 'internet';
  /** Whether other processes, their memory and their queues are out of reach already. */
  readonly hasNamespaces: boolean;
}

/** Whether there is a filter for this kind of processor. */
export const hasFilter = (arch: string = process.arch): arch is keyof typeof ARCHITECTURES =>
  arch in ARCHITECTURES;

/**
 * The program, as bytes.
 * @throws {RangeError} for a kind of processor whose numbers are not known
 */
export function seccompFilter({ arch = process.arch, sockets, hasNamespaces }: FilterOptions): Uint8Array {
  if (!hasFilter(arch)) throw new RangeError(`There is no filter for ${arch}.`);
  const { index, id } = ARCHITECTURES[arch];
  const numberOf = (numbers: Numbers): number => numbers[index] ?? Number.NaN;
  const blocks = [
    ...Object.values(REFUSED).map((numbers) => whole(numberOf(numbers), EPERM)),
    ...Object.values(ABSENT).map((numbers) => whole(numberOf(numbers), ENOSYS)),
    ...REFUSED_WITH.map(({ numbers, when }) => conditional(numberOf(numbers), when)),
    ...(hasNamespaces ? [] : outsideBlocks(numberOf)),
    socketBlock(numberOf(SOCKET), sockets),
  ];
  const program = [
    step(LOAD, ARCHITECTURE_AT),
    step(IF_EQUAL, id, 1, 0),
    step(RETURN, KILL),
    step(LOAD, NUMBER_AT),
    ...(arch === 'x64' ? [step(IF_AT_LEAST, X32, 0, 1), step(RETURN, EPERM)] : []),
    ...blocks.flat(),
    step(RETURN, ALLOW),
  ];
  return Buffer.concat(program);
}

/** Jumps are counted from the next step. */
function step(code: number, value: number, ifTrue = 0, ifFalse = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}

/** One call, whatever its arguments are. */
const whole = (number: number, result: number): readonly Buffer[] => guarded(number, [step(RETURN, result)]);

/** One call, with these arguments. The number is loaded again for the blocks behind. */
function conditional(number: number, { argument, mask, equals }: Condition): readonly Buffer[] {
  const test =
    equals === undefined ? [step(IF_ANY_BIT, mask, 0, 1)] : [step(AND, mask), step(IF_EQUAL, equals, 0, 1)];
  return guarded(number, [
    step(LOAD, argumentAt(argument)),
    ...test,
    step(RETURN, EPERM),
    step(LOAD, NUMBER_AT),
  ]);
}

/** `prlimit` of another process is refused by its first argument: anything but 0. */
const outsideBlocks = (numberOf: (numbers: Numbers) => number): readonly (readonly Buffer[])[] => [
  ...Object.values(SHARED).map((numbers) => whole(numberOf(numbers), EPERM)),
  ...Object.values(UNDONE).map((numbers) => whole(numberOf(numbers), AS_IF_DONE)),
  conditional(numberOf(OWN_LIMITS), { argument: 0, mask: 0xffff_ffff }),
];

/** Socket files and the host behind a virtual machine (AF_VSOCK) are in no network namespace. */
function socketBlock(number: number, sockets: FilterOptions['sockets']): readonly Buffer[] {
  if (sockets === 'none') return whole(number, EPERM);
  const families = INTERNET.map((family, index) => step(IF_EQUAL, family, INTERNET.length - index, 0));
  return guarded(number, [
    step(LOAD, argumentAt(0)),
    ...families,
    step(RETURN, EPERM),
    step(LOAD, NUMBER_AT),
  ]);
}

/** Steps that are jumped over for every other call. A call that this processor has not is left out. */
const guarded = (number: number, steps: readonly Buffer[]): readonly Buffer[] =>
  Number.isNaN(number) ? [] : [step(IF_EQUAL, number, 0, steps.length), ...steps];
