import { readSecretFiles } from './read-secret-files.ts';
import { isSecret } from './parse-settings.ts';
import type { Variables } from './setting.ts';
import { splitAddresses } from './setting.ts';
import { ALL_SETTINGS } from './settings.ts';

/** An address and its parts that may be a password or a key, as written and decoded. */
function partsOf(address: string): string[] {
  if (!URL.canParse(address)) return [address];
  const { password, pathname, searchParams, username, hash } = new URL(address);
  const parts = [
    password,
    username,
    pathname.slice(1),
    ...pathname.split('/'),
    ...searchParams.values(),
    hash.slice(1),
    // What an authorization header has in base64.
    `${decode(username)}:${decode(password)}`,
  ];
  return [address].concat(parts, parts.map(decode));
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Names that stand in addresses of every installation and are no secret. */
const COMMON = new Set(['counterfoil', 'postgres', 'jsonrpc', 'walletsolidity', 'verify-full', 'require']);

/** All values of secret settings, whole and in the parts of their addresses; also those that are in files. */
export function secretValues(given: Variables): string[] {
  const names = Object.keys(ALL_SETTINGS).filter(isSecret);
  const { variables } = readSecretFiles(names, given);
  const values = names.flatMap((name) => {
    const value = variables[name];
    return value === undefined ? [] : [value].concat([value, ...splitAddresses(value)].flatMap(partsOf));
  });
  return [...new Set(values)].filter((value) => value !== '' && !COMMON.has(value) && !/^counterfoil_\w+$/.test(value));
}
