import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { Refusal } from '../lib/refusal.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { openSecret } from '../secrets/open-secret.ts';
import { keepSecrets } from './secret-cache.ts';
import { webhookSecretPurpose } from './store.ts';
import { readWebhookSecretIds } from './webhook-secret-sql.ts';

type SecretsOf = (storeId: bigint) => Promise<readonly string[]>;

export function createSecretsOf({ queries }: Database, clock: Clock, ring: KeyRing): SecretsOf {
  return keepSecrets(clock, async (storeId, at) => {
    const ids = await readWebhookSecretIds(queries, storeId, at);
    if (ids.length === 0) throw new Refusal('STORE_WITHOUT_SECRET', { storeId: String(storeId) });
    const purpose = webhookSecretPurpose(storeId);
    return Promise.all(ids.map((id) => openSecret(queries, ring, id, purpose)));
  });
}
