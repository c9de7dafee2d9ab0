import { HOUR_MS } from '@counterfoil/core/duration.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { StoreRef } from '../db/store-ref.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { holdUnlocked } from '../merchants/hold-unlocked.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { sealSecret } from '../secrets/seal-secret.ts';
import { apiKeyHint, createApiKeyText, hashApiKey } from './api-key.ts';
import { endEarlierApiKeys, insertApiKey } from './api-key-sql.ts';
import { requireRenewal } from './require-reveal.ts';
import { apiKeyPurpose } from './store.ts';
import { tellOwners } from './tell-owners.ts';

export const MAX_OVERLAP_HOURS = 168;

type KeyOwner = Pick<StoreRef, 'id' | 'live' | 'shard'>;

export async function addApiKey(tx: Tx, ring: KeyRing, store: KeyOwner, at: Date): Promise<string> {
  const text = createApiKeyText(store.live, store.shard);
  const hash = hashApiKey(text);
  const secretId = await sealSecret(tx, ring, apiKeyPurpose(store.id, hash), text);
  await insertApiKey(tx, { storeId: store.id, hash, secretId, hint: apiKeyHint(text), createdAt: at });
  return text;
}

type IssueInput = { store: StoreRef; overlapHours: number };

/**
 * Issues a new API key and notifies the owners. The old one ends immediately or after an overlap, in which both share
 * the store's limits; an overlapping one ends immediately, so that there are never more than two. Refused while methods
 * are locked, which means a suspected break-in.
 */
export async function issueApiKey(
  { database, clock, jobs, ring }: MailContext & { ring: KeyRing },
  actor: Actor,
  { store, overlapHours }: IssueInput,
): Promise<string> {
  await requireRenewal(database.queries, actor);
  const at = new Date(clock.nowMs());
  const until = new Date(at.getTime() + overlapHours * HOUR_MS);
  return inTransaction(database, async (tx) => {
    await holdUnlocked(tx, store.merchantAccountId);
    const changed = await endEarlierApiKeys(tx, store.id, { at, until: overlapHours === 0 ? null : until });
    const text = await addApiKey(tx, ring, store, at);
    const hint = apiKeyHint(text);
    const data = { hint, until: String(until.getTime()) };
    await tellOwners(tx, { clock, jobs }, actor, { store, template: 'api-key-changed', at, data });
    const ended = changed.filter(({ overlapping }) => !overlapping).map((key) => key.hint);
    await recordAudit(tx, clock, actor, {
      action: 'api_key.regenerate',
      subject: `store:${store.id}`,
      details: { before: changed.map((key) => key.hint), ended, after: hint, overlapHours },
    });
    return text;
  });
}
