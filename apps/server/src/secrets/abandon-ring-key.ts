import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import type { RingInput } from './add-ring-key.ts';
import { standingOf } from './check-key-ring.ts';
import { ringFileExists } from './init-key-ring.ts';
import type { KeyRing } from './key-ring.ts';
import { readKeyRing } from './key-ring.ts';
import { readLivingHolders } from './ring-holder-store.ts';
import type { KnownKey } from './ring-key-store.ts';
import { deleteRingKey, deleteSealingKey, readKnownKeys, switchSealingKey } from './ring-key-store.ts';
import { abandonSecrets, SEALED_TABLES } from './secret-store.ts';
import { underRingLock } from './under-ring-lock.ts';

export type AbandonInput = RingInput & { key: string; reason: string };
/** `secrets` counts what was given up by kind; without a key that seals, keyring init is next. */
export type Abandoned = { key: string; secrets: Record<string, number>; sealing: string | undefined };

/**
 * Gives up what a lost key sealed, so that new secrets can be made: each of them is emptied and marked, and the key is
 * forgotten. Refused while the key is somewhere: in this ring, or in one that a living process holds.
 */
export function abandonRingKey(database: Database, clock: Clock, input: AbandonInput): Promise<Abandoned> {
  return underRingLock(database, async () => {
    const ring: KeyRing = (await ringFileExists(input.path)) ? await readKeyRing(input.path) : { keys: new Map() };
    const known = await readKnownKeys(database.queries);
    const lost = known.find((key) => key.id === input.key);
    if (!lost) throw new OperatorError(`The database knows no key ${input.key}.`);
    if (standingOf(ring, lost) === 'held')
      throw new OperatorError(`Key ${lost.id} is not lost: the ring at ${input.path} holds it.`);
    const holder = (await readLivingHolders(database.queries)).find(({ keyIds }) => keyIds.includes(lost.id));
    if (holder)
      throw new OperatorError(`Key ${lost.id} is not lost: ${holder.kind} ${holder.host}:${holder.pid} holds it.`);
    const successor = known.findLast((key) => standingOf(ring, key) === 'held')?.id;
    return inTransaction(database, (tx) => giveUp(tx, clock, lost, successor, input));
  });
}

async function giveUp(
  tx: Tx,
  clock: Clock,
  lost: KnownKey,
  successor: string | undefined,
  { actor, reason }: AbandonInput,
): Promise<Abandoned> {
  if (lost.seals) await (successor === undefined ? deleteSealingKey(tx) : switchSealingKey(tx, successor));
  const secrets: Record<string, number> = {};
  for (const table of SEALED_TABLES) {
    for (const purpose of await abandonSecrets(tx, table, lost.id, new Date(clock.nowMs()))) {
      const [kind = purpose] = purpose.split(':');
      secrets[kind] = (secrets[kind] ?? 0) + 1;
    }
  }
  await deleteRingKey(tx, lost.id);
  const details = { before: lost.id, reason, secrets, ...(lost.seals && { sealing: successor ?? null }) };
  await recordAudit(tx, clock, { actor, action: 'key_ring.abandon', subject: 'key_ring', details });
  return { key: lost.id, secrets, sealing: successor };
}
