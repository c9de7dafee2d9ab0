import { copyFile, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RingDesk } from '../../test/ring-desk.ts';
import {
  ACTOR,
  ALICE,
  keepSecrets,
  openKept,
  openRingDesk,
  plainOf,
  readAudit,
  reportProcess,
  ringContext,
} from '../../test/ring-desk.ts';
import { abandonRingKey } from './abandon-ring-key.ts';
import { addRingKey } from './add-ring-key.ts';
import { requireKeysInUse } from './key-ring-check.ts';
import { initKeyRing } from './init-key-ring.ts';
import { openKeyRing, readKeyRing } from './key-ring.ts';
import { resealSecrets } from './reseal-secrets.ts';
import { readKnownKeys } from './ring-key-sql.ts';

const reason = 'the disk of the only host burnt';

let desk: RingDesk;
beforeEach(async () => {
  desk = await openRingDesk();
});
afterEach(() => desk.close());

const abandon = (key: string) => abandonRingKey(ringContext(desk), ALICE, { key, reason });

/** Rotates to a new key and then loses it: all secrets are sealed with it, and the ring's file holds only the old key. */
async function loseNewest(): Promise<string> {
  await copyFile(desk.path, `${desk.path}.old`);
  const lost = await addRingKey(ringContext(desk), ALICE);
  await resealSecrets(ringContext(desk), ALICE, {});
  await copyFile(`${desk.path}.old`, desk.path);
  await rm(`${desk.path}.previous`);
  return lost;
}

describe('a lost key is given up', () => {
  test('with all that it sealed, and secrets can be made again with the key that is left', async () => {
    const kept = await keepSecrets(desk, 3);
    const lost = await loseNewest();
    await expect(requireKeysInUse(desk.database.queries, await readKeyRing(desk.path))).rejects.toMatchObject({
      code: 'RING_LACKS_KEY',
    });
    expect(await abandon(lost)).toEqual({ key: lost, secrets: { webhook_secret: 3 }, sealing: desk.first });

    const ring = await openKeyRing(desk.path);
    await requireKeysInUse(desk.database.queries, ring);
    await expect(openKept(desk, ring, kept)).rejects.toMatchObject({ code: 'SECRET_ABANDONED' });
    const made = await keepSecrets(desk, 2);
    expect(await openKept(desk, ring, made)).toEqual(plainOf(made));
    await addRingKey(ringContext(desk), ALICE);
  });

  test('with its reason and what it cost in the audit trail', async () => {
    await keepSecrets(desk, 2);
    const lost = await loseNewest();
    await abandon(lost);
    expect((await readAudit(desk)).at(-1)).toEqual({
      actor: ACTOR,
      action: 'key_ring.abandon',
      details: { before: lost, reason, secrets: { webhook_secret: 2 }, sealing: desk.first },
    });
  });

  test('when the whole ring is gone, and a new one can be made', async () => {
    await keepSecrets(desk, 1);
    await rm(desk.path);
    await expect(initKeyRing(ringContext(desk), ALICE)).rejects.toMatchObject({ code: 'RING_KNOWN' });
    expect(await abandon(desk.first)).toMatchObject({ sealing: undefined });
    expect(await readKnownKeys(desk.database.queries)).toEqual([]);
    const fresh = await initKeyRing(ringContext(desk), ALICE);
    expect((await readKnownKeys(desk.database.queries)).map((key) => [key.id, key.seals])).toEqual([[fresh, true]]);
    const made = await keepSecrets(desk, 1);
    expect(await openKept(desk, await openKeyRing(desk.path), made)).toEqual(plainOf(made));
  });

  test('and what other keys sealed stays as it is', async () => {
    const kept = await keepSecrets(desk, 2);
    const lost = await addRingKey(ringContext(desk), ALICE);
    await copyFile(`${desk.path}.previous`, desk.path);
    expect(await abandon(lost)).toEqual({ key: lost, secrets: {}, sealing: desk.first });
    expect(await openKept(desk, await openKeyRing(desk.path), kept)).toEqual(plainOf(kept));
  });
});

describe('a key is not given up', () => {
  test('while the ring at hand holds it', async () => {
    await expect(abandon(desk.first)).rejects.toMatchObject({ code: 'KEY_IN_RING' });
  });

  test('while a living process holds it', async () => {
    const lost = await loseNewest();
    await reportProcess(desk, { keyIds: [lost] });
    await expect(abandon(lost)).rejects.toMatchObject({
      code: 'KEY_HELD',
      details: { key: lost, holder: 'worker host-1:7' },
    });
    await reportProcess(desk, { keyIds: [lost] }, 61);
    expect(await abandon(lost)).toMatchObject({ key: lost });
  });

  test('that nobody knows', async () => {
    await expect(abandon('kNone')).rejects.toMatchObject({ code: 'KEY_NOT_IN_DATABASE', details: { key: 'kNone' } });
  });
});
