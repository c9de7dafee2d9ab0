import { copyFile, rename } from 'node:fs/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { KeyRingFixture } from '../../rig/database/key-ring-fixture.ts';
import {
  ALICE,
  backUpRing,
  keepSecrets,
  openKept,
  openKeyRingFixture,
  plainOf,
  reportProcess,
  ringContext,
} from '../../rig/database/key-ring-fixture.ts';
import type { ManualClock } from '../lib/clock.ts';
import { createManualClock } from '../lib/clock.ts';
import { addRingKey } from './add-ring-key.ts';
import type { HeldRing } from './hold-key-ring.ts';
import { holdKeyRing } from './hold-key-ring.ts';
import { createKeyRing, readKeyRing } from './key-ring.ts';
import { resealSecrets } from './reseal-secrets.ts';
import { readLivingHolders } from './ring-holder-sql.ts';

const HOLDER = { id: 'host-1:7:x', kind: 'worker', host: 'host-1', pid: 7 };

let fixture: KeyRingFixture;
let clock: ManualClock;
let copy: string;
let reads: number;
beforeEach(async () => {
  fixture = await openKeyRingFixture(inject('template'));
  clock = createManualClock(0);
  copy = `${fixture.path}.copy`;
  await copyFile(fixture.path, copy);
  reads = 0;
});
afterEach(() => fixture.close());

const read = () => {
  reads += 1;
  return readKeyRing(copy);
};

/** A process with its own ring file. */
function hold(): HeldRing {
  return holdKeyRing({ database: fixture.database, log: pino({ level: 'silent' }), clock, read, holder: HOLDER });
}

const add = () => addRingKey(ringContext(fixture), ALICE);
const reseal = async () => resealSecrets(ringContext(fixture), ALICE, { copyDigest: await backUpRing(fixture.path) });
const reported = async () => (await readLivingHolders(fixture.database.queries)).map(({ keyIds }) => keyIds);

describe('a process reports', () => {
  test('a process reports the keys that it has, and is forgotten when it ends', async () => {
    const held = hold();
    await held.report();
    expect(await readLivingHolders(fixture.database.queries)).toEqual([
      { ...HOLDER, keyIds: [fixture.first], fault: null },
    ]);
    await held.leave();
    await held.report();
    expect(await reported()).toEqual([]);
  });

  test('a process reports an added key as soon as its file has it, without a signal', async () => {
    const held = hold();
    await held.report();
    const added = await add();
    await held.report();
    expect(await reported()).toEqual([[fixture.first]]);
    await copyFile(fixture.path, copy);
    await held.report();
    expect(await reported()).toEqual([[fixture.first, added]]);
  });

  test('a process reports no key that has only the name of the right one', async () => {
    const forged = holdKeyRing({
      database: fixture.database,
      log: pino({ level: 'silent' }),
      clock,
      read: async () => ({ keys: new Map([[fixture.first, Buffer.alloc(32, 1)]]) }),
      holder: HOLDER,
    });
    await forged.report();
    expect(await reported()).toEqual([[]]);
    expect([forged.isUsable(), forged.fault()]).toEqual([false, expect.objectContaining({ code: 'KEY_WRONG' })]);
  });

  test('processes that have been dead for a day are forgotten', async () => {
    await reportProcess(fixture, { id: 'old' }, 86_401);
    await reportProcess(fixture, { id: 'young' }, 86_000);
    await hold().report();
    const { rows } = await fixture.database.pool.query('select id from key_ring_holders order by id');
    expect(rows).toEqual([{ id: HOLDER.id }, { id: 'young' }]);
  });
});

describe('a process reads its ring again', () => {
  test('a process reads its ring again on a signal, and reports it at once', async () => {
    const held = hold();
    await held.report();
    const added = await add();
    await copyFile(fixture.path, copy);
    await held.reload();
    expect([...held.keys.keys()]).toEqual([fixture.first, added]);
    expect(await reported()).toEqual([[fixture.first, added]]);
  });

  test('a process reads its ring again for a key id that it does not know', async () => {
    const held = hold();
    await held.report();
    await held.leave();
    await add();
    await copyFile(fixture.path, copy);
    await reseal();
    const kept = await keepSecrets(fixture, 1);
    clock.advance(1_000);
    expect(await openKept(fixture, held, kept)).toEqual(plainOf(kept));
  });

  test('a process reads its ring at most once a second, however many secrets ask for a key', async () => {
    const held = hold();
    await held.report();
    await held.leave();
    await add();
    await reseal();
    const kept = await keepSecrets(fixture, 5);
    const before = reads;
    const openAll = () => Promise.allSettled(kept.map((one) => openKept(fixture, held, [one])));
    await openAll();
    expect(reads - before).toBe(0);
    clock.advance(1_000);
    await openAll();
    await openAll();
    expect(reads - before).toBe(1);
    clock.advance(1_000);
    await openAll();
    expect(reads - before).toBe(2);
  });
});

describe('a process without a usable ring', () => {
  test('a process without a ring says why, and takes the ring up when it appears', async () => {
    await rename(copy, `${copy}.away`);
    const held = hold();
    await held.report();
    expect([held.isUsable(), held.fault()]).toEqual([false, expect.objectContaining({ code: 'RING_MISSING' })]);
    expect(await reported()).toEqual([[]]);
    await rename(`${copy}.away`, copy);
    await held.report();
    expect([held.isUsable(), held.fault()]).toEqual([true, undefined]);
  });

  test('a process goes on with the keys that it has while the ring file is away, and says so', async () => {
    const held = hold();
    await held.report();
    const kept = await keepSecrets(fixture, 1);
    await rename(copy, `${copy}.away`);
    await held.reload();
    expect([held.isUsable(), held.fault()]).toEqual([true, expect.objectContaining({ code: 'RING_MISSING' })]);
    expect(await openKept(fixture, held, kept)).toEqual(plainOf(kept));
  });

  test('a process keeps a key that an older copy of the file lacks, and does not report it', async () => {
    const [older, kept] = [`${fixture.path}.older`, await keepSecrets(fixture, 1)];
    await copyFile(copy, older);
    const added = await add();
    await copyFile(fixture.path, copy);
    const held = hold();
    await held.report();
    await reseal();
    await copyFile(older, copy);
    await held.reload();
    expect(await reported()).toEqual([[fixture.first]]);
    expect([held.isUsable(), held.fault()]).toEqual([
      true,
      expect.objectContaining({ code: 'RING_LACKS_KEY', details: { key: added } }),
    ]);
    expect(await openKept(fixture, held, kept)).toEqual(plainOf(kept));
  });

  test('a process that lacks one key in use opens what the others sealed', async () => {
    const held = hold();
    await held.report();
    await held.leave();
    const kept = await keepSecrets(fixture, 1);
    const added = await add();
    await fixture.database.pool.query('update sealing_key set ring_key_id = $1', [added]);
    const [lost] = await keepSecrets(fixture, 1);
    const again = hold();
    await again.report();
    expect([again.isUsable(), again.fault()]).toEqual([
      true,
      expect.objectContaining({ code: 'RING_LACKS_KEY', details: { key: added } }),
    ]);
    expect(await openKept(fixture, again, kept)).toEqual(plainOf(kept));
    await expect(openKept(fixture, again, lost ? [lost] : [])).rejects.toMatchObject({
      code: 'RING_LACKS_KEY',
      details: { key: added },
    });
  });

  test('a process with the ring of another database is told so', async () => {
    const stranger = holdKeyRing({
      database: fixture.database,
      log: pino({ level: 'silent' }),
      clock,
      read: async () => createKeyRing(),
      holder: HOLDER,
    });
    await stranger.report();
    expect([stranger.isUsable(), stranger.fault()]).toEqual([
      false,
      expect.objectContaining({ code: 'RING_LACKS_KEY', details: { key: fixture.first } }),
    ]);
  });
});
