import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Measures the memory of a reader's watch set, in a process that holds nothing else. */

const CHILD = fileURLToPath(new URL('./watch-child.ts', import.meta.url));

export function measureWatch(symbol: string, addresses: number): number {
  const flags = ['--no-warnings', '--expose-gc'];
  const printed = execFileSync(process.execPath, [...flags, CHILD, symbol, String(addresses)], { encoding: 'utf8' });
  const bytes = Number(printed);
  if (!Number.isSafeInteger(bytes) || bytes <= 0) throw new Error(`The child printed ${printed}.`);
  return bytes;
}
