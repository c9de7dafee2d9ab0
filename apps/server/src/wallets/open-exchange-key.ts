import { z } from 'zod';
import type { Queries } from '../db/database.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { openSecret } from '../secrets/open-secret.ts';
import type { ExchangeKey } from '../sources/statement-source.ts';
import type { ExchangeAccountRow } from './exchange-account-sql.ts';
import { exchangeKeyPurpose } from './exchange-account.ts';

const sealedKey = z.object({ apiKey: z.string(), apiSecret: z.string(), passphrase: z.string().optional() });

type SealedAccount = Pick<ExchangeAccountRow, 'network' | 'account' | 'baseUrl' | 'secretId'>;

/** Opens the key of an exchange account. */
export async function openExchangeKey(queries: Queries, ring: KeyRing, one: SealedAccount): Promise<ExchangeKey> {
  const text = await openSecret(queries, ring, one.secretId, exchangeKeyPurpose(one));
  const { apiKey, apiSecret, passphrase } = sealedKey.parse(JSON.parse(text));
  return { baseUrl: one.baseUrl, credentials: { apiKey, apiSecret, ...(passphrase !== undefined && { passphrase }) } };
}
