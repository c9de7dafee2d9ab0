import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import type { Clock } from '../lib/clock.ts';
import { open, seal } from '../lib/secret-box.ts';
import { Refusal } from '../lib/refusal.ts';
import type { RingFileContext } from './add-ring-key.ts';
import { requireKeysInUse } from './key-ring-check.ts';
import type { KeyRing } from './key-ring.ts';
import { readRingAndDigest, ringKey } from './key-ring.ts';
import { readLivingHolders } from './ring-holder-sql.ts';
import { readKnownKeys, switchSealingKey } from './ring-key-sql.ts';
import type { SealedTable } from './secret-sql.ts';
import { lockSecretsOfOtherKeys, replaceSealed, SEALED_TABLES } from './secret-sql.ts';
import type { ProveLock } from './under-ring-lock.ts';
import { underRingLock } from './under-ring-lock.ts';

const BATCH = 200;
const MAX_NAMED = 10;

type ResealInput = {
  key?: string | undefined;
  /** SHA-256 (lower-case hex) of a backup of the ring file, without which a lost ring would lose everything. */
  copyDigest: string;
};
type Resealed = { before: string; after: string; resealed: number };

/** Makes a key the sealing one and reseals all secrets; can be repeated after a crash. */
export function resealSecrets(
  { database, clock, keyRingFile: path }: RingFileContext,
  actor: Actor,
  input: ResealInput,
): Promise<Resealed> {
  return underRingLock(database, async (prove) => {
    const { ring, digest } = await readRingAndDigest(path);
    await requireKeysInUse(database.queries, ring);
    const known = (await readKnownKeys(database.queries)).map((key) => key.id);
    const after = input.key ?? known.at(-1);
    if (after === undefined || !known.includes(after)) throw new Refusal('KEY_NOT_ADDED', { key: after ?? '' });
    ringKey(ring, after);
    if (input.copyDigest !== digest) throw new Refusal('RING_COPY_DIFFERS', { path });
    const before = await inTransaction(database, (tx) => switchTo(tx, clock, actor, after));
    let resealed = 0;
    for (const table of SEALED_TABLES) resealed += await resealTable(database, table, ring, after, prove);
    return { before, after, resealed };
  });
}

/**
 * Switches the sealing key; refuses while a running process lacks it. Checked after the switch, whose lock keeps others
 * from sealing until the transaction ends.
 */
async function switchTo(tx: Tx, clock: Clock, actor: Actor, after: string): Promise<string> {
  const before = (await switchSealingKey(tx, after)) ?? after;
  const lacking = (await readLivingHolders(tx)).filter((holder) => !holder.keyIds.includes(after));
  if (lacking.length > 0) {
    const names = lacking.slice(0, MAX_NAMED).map(({ kind, host, pid }) => `${kind} ${host}:${pid}`);
    throw new Refusal('RING_HOLDERS_LACK_KEY', { key: after, holders: names, more: lacking.length - names.length });
  }
  await recordAudit(tx, clock, actor, { action: 'key_ring.reseal', subject: 'key_ring', details: { before, after } });
  return before;
}

async function resealTable(
  database: Database,
  table: SealedTable,
  ring: KeyRing,
  after: string,
  prove: ProveLock,
): Promise<number> {
  const sealingKey = ringKey(ring, after);
  for (let total = 0; ;) {
    await prove();
    const done = await inTransaction(database, async (tx) => {
      const batch = await lockSecretsOfOtherKeys(tx, table, after, BATCH);
      const sealed = batch.map((secret) => ({
        id: secret.id,
        sealed: seal(sealingKey, secret.purpose, open(ringKey(ring, secret.ringKeyId), secret.purpose, secret.sealed)),
      }));
      if (sealed.length > 0) await replaceSealed(tx, table, after, sealed);
      return batch.length;
    });
    total += done;
    if (done === 0) return total;
  }
}
