import { readBeginnings } from '../audit/audit-link-sql.ts';
import type { ChainKeys } from '../audit/audit-chain.ts';
import type { Queries } from '../db/database.ts';
import { tryChainKey } from './audit-chain-key.ts';
import type { KeyRing } from './key-ring.ts';

/** A chain begins with the database, and whenever a secret is lost. */
const MAX_CHAINS = 10_000;

/** Opens the keys of all chains. One that does not open counts as lost where the next chain's first entry says so. */
export async function readChainKeys(queries: Queries, ring: () => Promise<KeyRing>): Promise<ChainKeys> {
  const keys = new Map<bigint, Buffer | 'lost'>();
  const beginnings = await readBeginnings(queries, MAX_CHAINS);
  if (beginnings.length === 0) return keys;
  const opened = await ring();
  for (const [index, { link }] of beginnings.entries()) {
    const key = await tryChainKey(queries, opened, link.secretId);
    const saidLost = beginnings[index + 1]?.entry?.details['secretLost'] === true;
    if (key) keys.set(link.secretId, key);
    else if (saidLost) keys.set(link.secretId, 'lost');
  }
  return keys;
}
