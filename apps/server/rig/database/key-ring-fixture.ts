import { createHash, randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inTransaction } from '../../src/db/transaction.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { initKeyRing } from '../../src/secrets/init-key-ring.ts';
import type { KeyRing } from '../../src/secrets/key-ring.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { openSecret } from '../../src/secrets/open-secret.ts';
import type { RingHolder } from '../../src/secrets/ring-holder-sql.ts';
import { reportHolder } from '../../src/secrets/ring-holder-sql.ts';
import { sealSecret } from '../../src/secrets/seal-secret.ts';
import type { Template } from './template-database.ts';
import type { TestDatabase } from './test-database.ts';
import { openTestDatabase } from './test-database.ts';

/** A database with its first key ring in a file. */

export type KeyRingFixture = TestDatabase & {
  folder: string;
  path: string;
  /** Id of the first key, which seals secrets at the start. */
  first: string;
  close(): Promise<void>;
};

export const ALICE = { kind: 'operator', name: 'alice' } as const;
/** The name of the actor `ALICE` in audit entries. */
export const ACTOR = 'cli:alice';

export async function openKeyRingFixture(template: Template): Promise<KeyRingFixture> {
  const own = await openTestDatabase(template, 8);
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-ring-'));
  const path = join(folder, 'ring.json');
  const first = await initKeyRing({ database: own.database, clock: systemClock, keyRingFile: path }, ALICE);
  const close = async () => {
    await own.drop();
    await rm(folder, { recursive: true });
  };
  return { ...own, folder, path, first, close };
}

/** Backs the ring file up, as an operator does before a reseal; returns the SHA-256 of the backup. */
export async function backUpRing(path: string): Promise<string> {
  const backup = `${path}.backup-${randomUUID()}`;
  await copyFile(path, backup);
  return createHash('sha256')
    .update(await readFile(backup))
    .digest('hex');
}

/** Context of verbs that change the fixture's key ring. */
export const ringContext = ({ database, path }: KeyRingFixture) => ({
  database,
  clock: systemClock,
  keyRingFile: path,
});

export type Kept = { id: bigint; purpose: string; plain: string };

export async function keepSecrets(fixture: KeyRingFixture, count: number, ring?: KeyRing): Promise<Kept[]> {
  const used = ring ?? (await openKeyRing(fixture.path));
  const kept: Kept[] = [];
  for (let number = 0; number < count; number += 1) {
    const secret = { purpose: `webhook_secret:${number}`, plain: `whsec_${number}` };
    const id = await inTransaction(fixture.database, (tx) => sealSecret(tx, used, secret.purpose, secret.plain));
    kept.push({ ...secret, id });
  }
  return kept;
}

export async function openKept(fixture: KeyRingFixture, ring: KeyRing, kept: readonly Kept[]): Promise<string[]> {
  const plain: string[] = [];
  for (const { id, purpose } of kept) plain.push(await openSecret(fixture.database.queries, ring, id, purpose));
  return plain;
}

export const plainOf = (kept: readonly Kept[]) => kept.map(({ plain }) => plain);

/** The key ring reduced to a single key. */
export function onlyKey(ring: KeyRing, id: string): KeyRing {
  return { keys: new Map([...ring.keys].filter(([name]) => name === id)) };
}

/** Reports a process that holds these keys and was last seen the given seconds ago. */
export async function reportProcess(
  fixture: KeyRingFixture,
  holder: Partial<RingHolder>,
  secondsAgo = 0,
): Promise<void> {
  const row = { id: 'host-1:7:x', kind: 'worker', host: 'host-1', pid: 7, keyIds: [], fault: null, ...holder };
  await reportHolder(fixture.database.queries, row);
  await fixture.database.pool.query(
    'update key_ring_holders set seen_at = now() - make_interval(secs => $2) where id = $1',
    [row.id, secondsAgo],
  );
}

export type AuditRow = { actor: string; action: string; details: Record<string, unknown> };

export async function readAudit(fixture: KeyRingFixture): Promise<AuditRow[]> {
  const { rows } = await fixture.database.pool.query<AuditRow>(
    'select actor, action, details from audit_entries order by id',
  );
  return rows;
}
