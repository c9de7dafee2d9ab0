import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { countWaits } from '../../rig/database/count-waits.ts';
import type { KeyRingFixture } from '../../rig/database/key-ring-fixture.ts';
import {
  ACTOR,
  ALICE,
  backUpRing,
  keepSecrets,
  onlyKey,
  openKept,
  openKeyRingFixture,
  plainOf,
  readAudit,
  reportProcess,
  ringContext,
} from '../../rig/database/key-ring-fixture.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { openPatiently } from '../../rig/database/role-database.ts';
import { closeDatabase } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { Refusal } from '../lib/refusal.ts';
import { addRingKey } from './add-ring-key.ts';
import { requireKeysInUse } from './key-ring-check.ts';
import { createKeyRing, openKeyRing, readKeyRing, withoutRingKey, writeKeyRing } from './key-ring.ts';
import { registerKeyRing } from './register-key-ring.ts';
import { resealSecrets } from './reseal-secrets.ts';
import { retireRingKey } from './retire-ring-key.ts';
import { readKnownKeys, switchSealingKey } from './ring-key-sql.ts';
import { sealSecret } from './seal-secret.ts';
import { countSecretsByRingKey } from './secret-sql.ts';

const RING_LOCK = 0x0c_0f_05;
/** Three rotations change the file six times. */
const MOST_BACKUPS = 10;
const WITHIN = { timeout: 60_000, interval: 10 };

let fixture: KeyRingFixture;
beforeEach(async () => {
  fixture = await openKeyRingFixture(inject('template'));
});
afterEach(() => fixture.close());

const add = () => addRingKey(ringContext(fixture), ALICE);
const reseal = async (key?: string) =>
  resealSecrets(ringContext(fixture), ALICE, { key, copyDigest: await backUpRing(fixture.path) });
const retire = (key: string) => retireRingKey(ringContext(fixture), ALICE, { key });
const ringNow = () => readKeyRing(fixture.path);
const keysNow = async () => [...(await ringNow()).keys.keys()];
const knownNow = async () => (await readKnownKeys(fixture.database.queries)).map((key) => key.id);
const sealedBy = () => countSecretsByRingKey(fixture.database.queries);

const countWaiting = () => countWaits(fixture.database);

/** Ends the connection that holds the lock of the key ring. */
const endRingLock = () =>
  fixture.database.pool.query(
    `select pg_terminate_backend(l.pid, $2) from pg_locks l join pg_database d on d.oid = l.database
     where l.locktype = 'advisory' and l.granted and l.objid = $1 and d.datname = current_database()`,
    [RING_LOCK, WITHIN.timeout],
  );

describe('a key that was added', () => {
  test('an added key seals nothing: what is new is sealed with the key that the database names', async () => {
    const added = await add();
    await keepSecrets(fixture, 2);
    expect(await sealedBy()).toEqual([{ ringKeyId: fixture.first, secrets: 2n }]);
    expect(await keysNow()).toEqual([fixture.first, added]);
    expect(await knownNow()).toEqual([fixture.first, added]);
  });

  test('adding a key leaves the previous ring file beside the new one', async () => {
    const before = await readFile(fixture.path, 'utf8');
    await add();
    expect(await readFile(`${fixture.path}.previous`, 'utf8')).toBe(before);
    expect(await readFile(fixture.path, 'utf8')).not.toBe(before);
  });

  test('an added key is audited by its id, and never with the key', async () => {
    const added = await add();
    expect(await readAudit(fixture)).toEqual([
      { actor: ACTOR, action: 'key_ring.init', details: { after: fixture.first } },
      { actor: ACTOR, action: 'key_ring.add', details: { after: added } },
    ]);
  });

  test('a new key is not written to a ring that lacks a key which the database knows', async () => {
    const old = join(fixture.folder, 'old.json');
    await copyFile(fixture.path, old);
    await add();
    await copyFile(old, fixture.path);
    await expect(add()).rejects.toMatchObject({ code: 'RING_INCOMPLETE' });
    expect(await readFile(fixture.path, 'utf8')).toBe(await readFile(old, 'utf8'));
    expect(await knownNow()).toHaveLength(2);
  });

  test('a new key is not written once the lock is lost with its connection: another may be writing by now', async () => {
    const { pool } = fixture.database;
    const before = await readFile(fixture.path, 'utf8');
    const holding = await pool.connect();
    await holding.query('begin');
    await holding.query('lock table key_ring_keys in share mode');
    const adding = add().then(
      () => 'added',
      () => 'refused',
    );
    try {
      await expect.poll(countWaiting, WITHIN).toBe(1);
      await endRingLock();
    } finally {
      await holding.query('rollback');
      holding.release();
    }
    expect(await adding).toBe('refused');
    expect(await readFile(fixture.path, 'utf8')).toBe(before);
    expect(await knownNow()).toEqual([fixture.first]);
  });

  test('a new key is not written beside another key under a known name', async () => {
    await writeKeyRing(fixture.path, { keys: new Map([[fixture.first, Buffer.alloc(32, 1)]]) });
    await expect(add()).rejects.toMatchObject({ code: 'KEY_WRONG' });
  });
});

describe('reseal', () => {
  test('reseal seals everything anew: no secret needs the old key any more, and all open as before', async () => {
    const kept = await keepSecrets(fixture, 5);
    const added = await add();
    expect(await reseal()).toEqual({ before: fixture.first, after: added, resealed: 5 });
    expect(await sealedBy()).toEqual([{ ringKeyId: added, secrets: 5n }]);
    expect(await openKept(fixture, onlyKey(await ringNow(), added), kept)).toEqual(plainOf(kept));
    await keepSecrets(fixture, 1);
    expect(await sealedBy()).toEqual([{ ringKeyId: added, secrets: 6n }]);
  });

  test('reseal takes more secrets than one batch holds', async () => {
    const kept = await keepSecrets(fixture, 401);
    const added = await add();
    expect((await reseal()).resealed).toBe(401);
    expect(await openKept(fixture, onlyKey(await ringNow(), added), kept.slice(-1))).toEqual(['whsec_400']);
  });

  test('reseal waits for a secret that is being sealed, so that none is left behind', async () => {
    const added = await add();
    const ring = await ringNow();
    let resealing: Promise<unknown> = Promise.resolve();
    await inTransaction(fixture.database, async (tx) => {
      await sealSecret(tx, ring, 'webhook_secret:1', 'whsec_late');
      resealing = reseal();
      await expect.poll(countWaiting, WITHIN).toBe(1);
    });
    expect(await resealing).toEqual({ before: fixture.first, after: added, resealed: 1 });
    expect(await sealedBy()).toEqual([{ ringKeyId: added, secrets: 1n }]);
  });

  test('a reseal that stopped half way through the secrets can be repeated', async () => {
    const kept = await keepSecrets(fixture, 4);
    const added = await add();
    await inTransaction(fixture.database, (tx) => switchSealingKey(tx, added));
    const later = await keepSecrets(fixture, 1);
    expect(await openKept(fixture, await ringNow(), [...kept, ...later])).toEqual(plainOf([...kept, ...later]));
    expect(await reseal()).toEqual({ before: added, after: added, resealed: 4 });
    expect(await openKept(fixture, onlyKey(await ringNow(), added), kept)).toEqual(plainOf(kept));
  });

  test('reseal stops after the batch in which its lock was lost: another may be changing the keys by now', async () => {
    await keepSecrets(fixture, 401);
    const added = await add();
    const { pool } = fixture.database;
    const holding = await pool.connect();
    await holding.query('begin');
    await holding.query('select from secrets order by id limit 1 for update');
    const resealing = reseal().then(
      () => 'resealed',
      () => 'refused',
    );
    try {
      await expect.poll(countWaiting, WITHIN).toBe(1);
      await endRingLock();
    } finally {
      await holding.query('rollback');
      holding.release();
    }
    expect(await resealing).toBe('refused');
    expect(await sealedBy()).toEqual(
      expect.arrayContaining([
        { ringKeyId: fixture.first, secrets: 201n },
        { ringKeyId: added, secrets: 200n },
      ]),
    );
  });

  test('reseal is audited with the ids of both keys and never the keys', async () => {
    const added = await add();
    await reseal();
    const details = { before: fixture.first, after: added };
    expect((await readAudit(fixture)).at(-1)).toEqual({ actor: ACTOR, action: 'key_ring.reseal', details });
    expect(await verifyAudit(fixture.database.queries)).toEqual({ entries: 3, waiting: 3 });
  });

  test('reseal with a key that the database does not know is refused', async () => {
    await expect(reseal('kNone')).rejects.toMatchObject({ code: 'KEY_NOT_ADDED', details: { key: 'kNone' } });
  });

  test('reseal with a key that the ring at hand lacks is refused', async () => {
    const added = await add();
    await copyFile(`${fixture.path}.previous`, fixture.path);
    await expect(reseal(added)).rejects.toMatchObject({ code: 'RING_LACKS_KEY', details: { key: added } });
  });

  test('reseal is refused with the digest of a backup from before the new key, and changes nothing', async () => {
    await keepSecrets(fixture, 1);
    const copyDigest = await backUpRing(fixture.path);
    const added = await add();
    const refusal = { code: 'RING_COPY_DIFFERS', details: { path: fixture.path } };
    await expect(resealSecrets(ringContext(fixture), ALICE, { copyDigest })).rejects.toMatchObject(refusal);
    expect(await sealedBy()).toEqual([{ ringKeyId: fixture.first, secrets: 1n }]);
    expect((await readAudit(fixture)).map(({ action }) => action)).toEqual(['key_ring.init', 'key_ring.add']);
    expect((await reseal()).after).toBe(added);
  });

  test('reseal is refused once another key was added after the backup, also for the key in the backup', async () => {
    const key = await add();
    const copyDigest = await backUpRing(fixture.path);
    await add();
    await expect(resealSecrets(ringContext(fixture), ALICE, { key, copyDigest })).rejects.toMatchObject({
      code: 'RING_COPY_DIFFERS',
    });
    expect((await reseal(key)).after).toBe(key);
  });
});

describe('reseal and the processes that open secrets', () => {
  test('reseal is refused while a living process does not hold the new key, and changes nothing', async () => {
    await keepSecrets(fixture, 1);
    const added = await add();
    await reportProcess(fixture, { id: 'a', pid: 1, keyIds: [fixture.first, added] });
    await reportProcess(fixture, { id: 'b', pid: 2, keyIds: [fixture.first] }, 59);
    const details = { key: added, holders: ['worker host-1:2'], more: 0 };
    await expect(reseal()).rejects.toMatchObject({ code: 'RING_HOLDERS_LACK_KEY', details });
    expect(await sealedBy()).toEqual([{ ringKeyId: fixture.first, secrets: 1n }]);
    expect((await readAudit(fixture)).map(({ action }) => action)).toEqual(['key_ring.init', 'key_ring.add']);
  });

  test('reseal is refused while a living process has no usable ring at all', async () => {
    await add();
    await reportProcess(fixture, { keyIds: [], fault: 'There is no key ring.' });
    await expect(reseal()).rejects.toMatchObject({ code: 'RING_HOLDERS_LACK_KEY' });
  });

  test('reseal goes on once every living process has the new key', async () => {
    const added = await add();
    await reportProcess(fixture, { keyIds: [fixture.first] });
    await expect(reseal()).rejects.toMatchObject({ code: 'RING_HOLDERS_LACK_KEY' });
    await reportProcess(fixture, { keyIds: [fixture.first, added] });
    expect((await reseal()).after).toBe(added);
  });

  test('reseal does not wait for a process that was not seen for a minute of database time', async () => {
    const added = await add();
    await reportProcess(fixture, { keyIds: [fixture.first] }, 61);
    expect((await reseal()).after).toBe(added);
  });
});

describe('a key is retired', () => {
  test('a key is retired from the database and the ring, once it seals nothing', async () => {
    const kept = await keepSecrets(fixture, 2);
    const added = await add();
    await reseal();
    await retire(fixture.first);
    expect([await keysNow(), await knownNow()]).toEqual([[added], [added]]);
    expect(await openKept(fixture, await ringNow(), kept)).toEqual(plainOf(kept));
    expect((await readAudit(fixture)).at(-1)).toMatchObject({
      action: 'key_ring.retire',
      details: { before: fixture.first },
    });
    await add();
  });

  test('a key is not retired while it seals new secrets', async () => {
    await add();
    await expect(retire(fixture.first)).rejects.toMatchObject({ code: 'KEY_SEALS' });
    expect(await keysNow()).toHaveLength(2);
  });

  test('a key is not retired while a secret is sealed with it', async () => {
    await keepSecrets(fixture, 1);
    const added = await add();
    await inTransaction(fixture.database, (tx) => switchSealingKey(tx, added));
    await expect(retire(fixture.first)).rejects.toMatchObject({ code: 'KEY_IN_USE' });
    expect(await knownNow()).toHaveLength(2);
  });

  test('a key is not retired when the rest of the ring lacks a key that the database knows', async () => {
    const [second, third] = [await add(), await add()];
    await reseal(third);
    await writeKeyRing(fixture.path, withoutRingKey(await ringNow(), second));
    await expect(retire(fixture.first)).rejects.toMatchObject({ code: 'RING_INCOMPLETE', details: { keys: [second] } });
    expect(await knownNow()).toEqual([fixture.first, second, third]);
  });

  test('a key is retired also when only the database knows it, or only the ring, as a crash may leave them', async () => {
    const added = await add();
    await writeKeyRing(fixture.path, withoutRingKey(await ringNow(), added));
    await retire(added);
    expect(await knownNow()).toEqual([fixture.first]);
    const orphan = createKeyRing();
    await writeKeyRing(fixture.path, { keys: new Map([...(await ringNow()).keys, ...orphan.keys]) });
    await retire([...orphan.keys.keys()][0] ?? '');
    expect(await keysNow()).toEqual([fixture.first]);
    await expect(retire('kNone')).rejects.toMatchObject({ code: 'KEY_UNKNOWN', details: { key: 'kNone' } });
  });
});

/** Another rotation may change the file between the backup and the reseal: then the operator backs it up again. */
async function resealOnceBackedUp(context: ReturnType<typeof ringContext>, key: string) {
  for (let attempt = 0; attempt < MOST_BACKUPS; attempt += 1) {
    const copyDigest = await backUpRing(fixture.path);
    const outcome = await resealSecrets(context, ALICE, { key, copyDigest }).catch((cause: unknown) => cause);
    if (!(outcome instanceof Refusal && outcome.code === 'RING_COPY_DIFFERS')) {
      if (outcome instanceof Error) throw outcome;
      return outcome as Awaited<ReturnType<typeof resealSecrets>>;
    }
  }
  throw new Error('The ring file changed after every backup.');
}

test('three rotations at once lose no key and no secret', async () => {
  const kept = await keepSecrets(fixture, 6);
  const rotate = async () => {
    const database = openPatiently({ url: fixture.url, connections: 2, name: 'rotation', reports: true });
    try {
      const context = { ...ringContext(fixture), database };
      const key = await addRingKey(context, ALICE);
      const { before } = await resealOnceBackedUp(context, key);
      await retireRingKey(context, ALICE, { key: before });
    } finally {
      await closeDatabase(database);
    }
  };
  await Promise.all([rotate(), rotate(), rotate()]);
  const ring = await ringNow();
  expect([await keysNow(), await knownNow()].map((keys) => keys.length)).toEqual([1, 1]);
  await requireKeysInUse(fixture.database.queries, ring);
  expect(await openKept(fixture, ring, kept)).toEqual(plainOf(kept));
});

test('a secret that is made while another key takes over is sealed with a key of the ring', async () => {
  const behind = await openKeyRing(fixture.path);
  const added = await add();
  await reseal();
  const kept = await keepSecrets(fixture, 1, behind);
  expect(await openKept(fixture, onlyKey(await ringNow(), added), kept)).toEqual(plainOf(kept));
});

describe('a wrong ring is refused', () => {
  test('a ring that lacks a key that sealed something is refused', async () => {
    await keepSecrets(fixture, 1);
    await expect(registerKeyRing(fixture.database.queries, createKeyRing())).rejects.toMatchObject({
      code: 'RING_LACKS_KEY',
    });
    expect(await knownNow()).toEqual([fixture.first]);
  });

  test('a ring that has another key under the same id is refused', async () => {
    const forged = { keys: new Map([[fixture.first, Buffer.alloc(32, 1)]]) };
    await expect(requireKeysInUse(fixture.database.queries, forged)).rejects.toMatchObject({ code: 'KEY_WRONG' });
  });
});
