import { z } from 'zod';
import type { Queries } from '../db/database.ts';
import { setBounded } from '../lib/bounded-map.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { openSecret } from '../secrets/open-secret.ts';
import type { ExchangeKey } from '../platforms/statement-source.ts';
import type { ExchangeAccountRow } from './exchange-account-sql.ts';
import { exchangeKeyPurpose } from './exchange-account.ts';

const sealedKey = z.object({ apiKey: z.string(), apiSecret: z.string(), passphrase: z.string().optional() });

type SealedAccount = Pick<ExchangeAccountRow, 'network' | 'account' | 'baseUrl' | 'secretId'>;

export async function openExchangeKey(queries: Queries, ring: KeyRing, one: SealedAccount): Promise<ExchangeKey> {
  const text = await openSecret(queries, ring, one.secretId, exchangeKeyPurpose(one));
  const { apiKey, apiSecret, passphrase } = sealedKey.parse(JSON.parse(text));
  return { baseUrl: one.baseUrl, credentials: { apiKey, apiSecret, ...(passphrase !== undefined && { passphrase }) } };
}

/** Most opened keys in memory. */
const MAX_KEPT = 10_000;

/** Keeps opened keys until their account gets another secret, so that a new key is used immediately. */
export function keepOpenKeys(
  openKey: (one: SealedAccount) => Promise<ExchangeKey>,
): (one: SealedAccount) => Promise<ExchangeKey> {
  const kept = new Map<string, { secretId: bigint; baseUrl: string; key: Promise<ExchangeKey> }>();
  return (one) => {
    const name = exchangeKeyPurpose(one);
    const present = kept.get(name);
    if (present && present.secretId === one.secretId && present.baseUrl === one.baseUrl) return present.key;
    const entry = { secretId: one.secretId, baseUrl: one.baseUrl, key: openKey(one) };
    setBounded(kept, name, entry, MAX_KEPT);
    entry.key.catch(() => {
      if (kept.get(name) === entry) kept.delete(name);
    });
    return entry.key;
  };
}
