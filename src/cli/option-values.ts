/** How the values of options are read. Each throws what commander shows. */
import { InvalidArgumentError } from 'commander';
import { parsePrice } from '../budget/prices.ts';
import { messageOf } from '../errors.ts';
import type { Price } from '../ports.ts';
import { parseSelector, type Selector } from '../rules/text.ts';

/** Tools of the command, by name. */
export const TOOL_NAMES = [
  'read_file',
  'list_files',
  'search_files',
  'write_file',
  'edit_file',
  'run_python',
] as const;

export function notBlank(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be blank.');
  return text;
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('It takes a whole number, 1 or more.');
  }
  return value;
}

export function positive(text: string): number {
  const value = Number(text);
  // Finite also in thousandths: seconds become milliseconds.
  if (!/^\d*\.?\d+$/.test(text) || !(value > 0) || !Number.isFinite(value * 1_000)) {
    throw new InvalidArgumentError('It takes a number above 0.');
  }
  return value;
}

export function url(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidArgumentError('It takes an http:// or https:// address.');
  }
  return text;
}

export const price = (text: string): Price => readOr(() => parsePrice(text));

export function toolNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  for (const name of names) checkToolName(name);
  return [...new Set(names)];
}

/** A name that is no tool is most likely a slip, and a deny with a slip denies nothing. */
export function selector(text: string, earlier: readonly Selector[] = []): readonly Selector[] {
  const read = readOr(() => parseSelector(text));
  if (read.tool !== '*') checkToolName(read.tool);
  return [...earlier, read];
}

export function hash(text: string): string {
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new InvalidArgumentError('It takes the whole hash, 64 hexadecimal digits, as the error says it.');
  return text;
}

function readOr<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}

function checkToolName(name: string): void {
  if ((TOOL_NAMES as readonly string[]).includes(name)) return;
  throw new InvalidArgumentError(`No tool ${name}. There are: ${TOOL_NAMES.join(', ')}.`);
}
