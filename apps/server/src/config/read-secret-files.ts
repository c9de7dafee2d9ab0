import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Variables } from './setting.ts';
import { FILE_END } from './setting.ts';

/** Longer than any secret. */
const MOST_BYTES = 65_536;

/** The start of a regular file; reading a pipe could wait or never end. */
function readStart(path: string): string | undefined {
  // Otherwise opening a pipe waits for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const bytes = Buffer.alloc(MOST_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, MOST_BYTES, 0)).trim();
  } finally {
    closeSync(file);
  }
}

type Found = { value: string } | { fault: string };

function readSecret(name: string, path: string, given: string | undefined): Found {
  if (given) return { fault: `${name}${FILE_END}: ${name} is set too` };
  try {
    const value = readStart(path);
    if (value === undefined) return { fault: `${name}${FILE_END}: is not a file` };
    return value === '' ? { fault: `${name}${FILE_END}: the file is empty` } : { value };
  } catch {
    return { fault: `${name}${FILE_END}: cannot be read` };
  }
}

/** Reads secrets from files (`NAME_FILE` for `NAME`), so that no environment holds them. `unread` has the faults. */
export function readSecretFiles(
  names: readonly string[],
  given: Variables,
): { variables: Variables; unread: Map<string, string> } {
  const variables: Variables = { ...given };
  const unread = new Map<string, string>();
  for (const name of names) {
    const path = given[`${name}${FILE_END}`];
    if (!path) continue;
    const found = readSecret(name, path, given[name]);
    if ('fault' in found) unread.set(name, found.fault);
    else variables[name] = found.value;
  }
  return { variables, unread };
}
