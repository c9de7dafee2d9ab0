import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { inTransaction } from '../src/db/transaction.ts';
import { systemClock } from '../src/lib/clock.ts';
import { initKeyRing } from '../src/secrets/init-key-ring.ts';
import type { KeyRing } from '../src/secrets/key-ring.ts';
import { openKeyRing } from '../src/secrets/key-ring.ts';
import { openSecret } from '../src/secrets/open-secret.ts';
import type { RingHolder } from '../src/secrets/ring-holder-sql.ts';
import { reportHolder } from '../src/secrets/ring-holder-sql.ts';
import { sealSecret } from '../src/secrets/seal-secret.ts';
import type { TestDatabase } from './harness.ts';
import { openTestDatabase } from './harness.ts';

/** A database with its first key ring, in a file of its own. */

export type RingDesk = TestDatabase & {
  folder: string;
  path: string;
  /** The key that sealed first. */
  first: string;
  close(): Promise<void>;
};

export const ALICE = { kind: 'operator', name: 'alice' } as const;
/** The same, as the audit names her. */
export const ACTOR = 'cli:alice';

export async function openRingDesk(): Promise<RingDesk> {
  const own = await openTestDatabase(inject('adminUrl'), inject('template'), 8);
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-ring-'));
  const path = join(folder, 'ring.json');
  const first = await initKeyRing({ database: own.database, clock: systemClock, keyRingFile: path }, ALICE);
  const close = async () => {
    await own.drop();
    await rm(folder, { recursive: true });
  };
  return { ...own, folder, path, first, close };
}

/** What verbs that change the ring of a desk work with. */
export const ringContext = ({ database, path }: RingDesk) => ({ database, clock: systemClock, keyRingFile: path });

export type Kept = { id: bigint; purpose: string; plain: string };

export async function keepSecrets(desk: RingDesk, count: number, ring?: KeyRing): Promise<Kept[]> {
  const used = ring ?? (await openKeyRing(desk.path));
  const kept: Kept[] = [];
  for (let number = 0; number < count; number += 1) {
    const secret = { purpose: `webhook_secret:${number}`, plain: `whsec_${number}` };
    const id = await inTransaction(desk.database, (tx) => sealSecret(tx, used, secret.purpose, secret.plain));
    kept.push({ ...secret, id });
  }
  return kept;
}

export async function openKept(desk: RingDesk, ring: KeyRing, kept: readonly Kept[]): Promise<string[]> {
  const plain: string[] = [];
  for (const { id, purpose } of kept) plain.push(await openSecret(desk.database.queries, ring, id, purpose));
  return plain;
}

export const plainOf = (kept: readonly Kept[]) => kept.map(({ plain }) => plain);

/** Only this key of the ring. */
export function onlyKey(ring: KeyRing, id: string): KeyRing {
  return { keys: new Map([...ring.keys].filter(([name]) => name === id)) };
}

/** A process that reports these keys, last seen so many seconds ago. */
export async function reportProcess(desk: RingDesk, holder: Partial<RingHolder>, secondsAgo = 0): Promise<void> {
  const row = { id: 'host-1:7:x', kind: 'worker', host: 'host-1', pid: 7, keyIds: [], fault: null, ...holder };
  await reportHolder(desk.database.queries, row);
  await desk.database.pool.query(
    'update key_ring_holders set seen_at = now() - make_interval(secs => $2) where id = $1',
    [row.id, secondsAgo],
  );
}

export type AuditRow = { actor: string; action: string; details: Record<string, unknown> };

export async function readAudit(desk: RingDesk): Promise<AuditRow[]> {
  const { rows } = await desk.database.pool.query<AuditRow>(
    'select actor, action, details from audit_entries order by id',
  );
  return rows;
}
