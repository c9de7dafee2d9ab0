import type { Database } from '../db/database.ts';
import { setBounded } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { Refusal } from '../lib/refusal.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { openSecret } from '../secrets/open-secret.ts';
import { readWebhookSecretIds } from './webhook-secret-sql.ts';
import { webhookSecretPurpose } from './store.ts';

/** How long signing secrets stay in memory, in clear text: rotations take effect within this time. */

const KEPT_MS = 60_000;
const MAX_KEPT = 10_000;

type Kept = { secrets: Promise<readonly string[]>; untilMs: number };

type SecretsOf = (storeId: bigint) => Promise<readonly string[]>;

export function createSecretsOf(database: Database, clock: Clock, ring: KeyRing): SecretsOf {
  const kept = new Map<bigint, Kept>();

  async function read(storeId: bigint, atMs: number): Promise<readonly string[]> {
    const ids = await readWebhookSecretIds(database.queries, storeId, new Date(atMs));
    if (ids.length === 0) throw new Refusal('STORE_WITHOUT_SECRET', { storeId: String(storeId) });
    const purpose = webhookSecretPurpose(storeId);
    return Promise.all(ids.map((id) => openSecret(database.queries, ring, id, purpose)));
  }

  return (storeId) => {
    const nowMs = clock.nowMs();
    const present = kept.get(storeId);
    if (present && present.untilMs > nowMs) return present.secrets;
    // The promise is kept, so that many deliveries share one read; failures are not kept.
    const entry = { secrets: read(storeId, nowMs), untilMs: nowMs + KEPT_MS };
    setBounded(kept, storeId, entry, MAX_KEPT);
    entry.secrets.catch(() => {
      if (kept.get(storeId) === entry) kept.delete(storeId);
    });
    return entry.secrets;
  };
}
