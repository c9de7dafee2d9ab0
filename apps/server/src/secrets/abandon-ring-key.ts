import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { RingFileContext } from './add-ring-key.ts';
import { keyStateOf } from './key-ring-check.ts';
import { ringFileExists } from './init-key-ring.ts';
import type { KeyRing } from './key-ring.ts';
import { readKeyRing } from './key-ring.ts';
import { readLivingHolders } from './ring-holder-sql.ts';
import type { KnownKey } from './ring-key-sql.ts';
import { deleteRingKey, deleteSealingKey, readKnownKeys, switchSealingKey } from './ring-key-sql.ts';
import { abandonSecrets, SEALED_TABLES } from './secret-sql.ts';
import { underRingLock } from './under-ring-lock.ts';

type AbandonInput = { key: string; reason: string };
/** `secrets`: abandoned secrets by kind. Without a `sealing` key the operator must run `keyring init` next. */
type Abandoned = { key: string; secrets: Record<string, number>; sealing: string | undefined };

/** Empties a lost key's secrets and deletes it. Refused while this ring, or a running process's, has it. */
export function abandonRingKey(
  { database, clock, keyRingFile: path }: RingFileContext,
  actor: Actor,
  { key: id, reason }: AbandonInput,
): Promise<Abandoned> {
  return underRingLock(database, async () => {
    const ring: KeyRing = (await ringFileExists(path)) ? await readKeyRing(path) : { keys: new Map() };
    const known = await readKnownKeys(database.queries);
    const lost = known.find((key) => key.id === id);
    if (!lost) throw new Refusal('KEY_NOT_IN_DATABASE', { key: id });
    if (keyStateOf(ring, lost) === 'held') throw new Refusal('KEY_IN_RING', { key: lost.id, path });
    const holder = (await readLivingHolders(database.queries)).find(({ keyIds }) => keyIds.includes(lost.id));
    if (holder) throw new Refusal('KEY_HELD', { key: lost.id, holder: `${holder.kind} ${holder.host}:${holder.pid}` });
    const successor = known.findLast((key) => keyStateOf(ring, key) === 'held')?.id;
    return inTransaction(database, async (tx) => {
      const secrets = await giveUp(tx, lost, successor, new Date(clock.nowMs()));
      const details = { before: lost.id, reason, secrets, ...(lost.seals && { sealing: successor ?? null }) };
      await recordAudit(tx, clock, actor, { action: 'key_ring.abandon', subject: 'key_ring', details });
      return { key: lost.id, secrets, sealing: successor };
    });
  });
}

/** Empties the key's secrets and deletes it; returns their number by kind. */
async function giveUp(
  tx: Tx,
  lost: KnownKey,
  successor: string | undefined,
  at: Date,
): Promise<Record<string, number>> {
  if (lost.seals) await (successor === undefined ? deleteSealingKey(tx) : switchSealingKey(tx, successor));
  const secrets: Record<string, number> = {};
  for (const table of SEALED_TABLES) {
    for (const purpose of await abandonSecrets(tx, table, lost.id, at)) {
      const [kind = purpose] = purpose.split(':');
      secrets[kind] = (secrets[kind] ?? 0) + 1;
    }
  }
  await deleteRingKey(tx, lost.id);
  return secrets;
}
