/** Runs a filter as the kernel would. */
export interface SystemCall {
  readonly number: number;
  readonly args?: readonly number[];
  readonly architecture?: number;
}

export const X64 = 0xc000_003e;
export const ARM64 = 0xc000_00b7;

const RESULTS: Readonly<Record<number, string>> = {
  0x7fff_0000: 'allowed',
  0x8000_0000: 'killed',
  0x0005_0001: 'EPERM',
  0x0005_0026: 'ENOSYS',
  0x0005_0000: 'answered as if done',
};

/** @throws {Error} when the program does what a kernel would not take */
export function verdictOf(
  program: Uint8Array,
  { number, args = [], architecture = X64 }: SystemCall,
): string {
  const bytes = Buffer.from(program);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(architecture, 4);
  for (const [index, value] of args.entries())
    data.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)), 16 + 8 * index);
  let value = 0;
  for (let at = 0; at < bytes.length; at += 8) {
    const code = bytes.readUInt16LE(at);
    const operand = bytes.readUInt32LE(at + 4);
    const jump = (isTrue: boolean): void => {
      at += 8 * bytes.readUInt8(isTrue ? at + 2 : at + 3);
    };
    if (code === 0x20) value = data.readUInt32LE(operand);
    else if (code === 0x54) value = (value & operand) >>> 0;
    else if (code === 0x15) jump(value === operand);
    else if (code === 0x35) jump(value >= operand);
    else if (code === 0x45) jump((value & operand) !== 0);
    else if (code === 0x06) return RESULTS[operand] ?? `unknown result ${operand}`;
    else throw new Error(`There is no step ${code}.`);
  }
  throw new Error('The program has no end.');
}
