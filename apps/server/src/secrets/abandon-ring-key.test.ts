import { copyFile, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { KeyRingFixture } from '../../rig/database/key-ring-fixture.ts';
import {
  ACTOR,
  ALICE,
  backUpRing,
  keepSecrets,
  openKept,
  openKeyRingFixture,
  plainOf,
  readAudit,
  reportProcess,
  ringContext,
} from '../../rig/database/key-ring-fixture.ts';
import { abandonRingKey } from './abandon-ring-key.ts';
import { addRingKey } from './add-ring-key.ts';
import { requireKeysInUse } from './key-ring-check.ts';
import { initKeyRing } from './init-key-ring.ts';
import { openKeyRing, readKeyRing } from './key-ring.ts';
import { resealSecrets } from './reseal-secrets.ts';
import { readKnownKeys } from './ring-key-sql.ts';

const reason = 'the disk of the only host burnt';

let fixture: KeyRingFixture;
beforeEach(async () => {
  fixture = await openKeyRingFixture(inject('template'));
});
afterEach(() => fixture.close());

const abandon = (key: string) => abandonRingKey(ringContext(fixture), ALICE, { key, reason });

/**
 * Rotates to a new key and then loses it: all secrets are sealed with the new key, and the ring file holds only the old
 * key.
 */
async function loseNewest(): Promise<string> {
  await copyFile(fixture.path, `${fixture.path}.old`);
  const lost = await addRingKey(ringContext(fixture), ALICE);
  await resealSecrets(ringContext(fixture), ALICE, { copyDigest: await backUpRing(fixture.path) });
  await copyFile(`${fixture.path}.old`, fixture.path);
  await rm(`${fixture.path}.previous`);
  return lost;
}

describe('abandoning a lost key', () => {
  test('a lost key is abandoned with all that it sealed, and secrets can be made again with the key that is left', async () => {
    const kept = await keepSecrets(fixture, 3);
    const lost = await loseNewest();
    await expect(requireKeysInUse(fixture.database.queries, await readKeyRing(fixture.path))).rejects.toMatchObject({
      code: 'RING_LACKS_KEY',
    });
    expect(await abandon(lost)).toEqual({ key: lost, secrets: { webhook_secret: 3 }, sealing: fixture.first });

    const ring = await openKeyRing(fixture.path);
    await requireKeysInUse(fixture.database.queries, ring);
    await expect(openKept(fixture, ring, kept)).rejects.toMatchObject({ code: 'SECRET_ABANDONED' });
    const made = await keepSecrets(fixture, 2);
    expect(await openKept(fixture, ring, made)).toEqual(plainOf(made));
    await addRingKey(ringContext(fixture), ALICE);
  });

  test('abandoning a key is audited with its reason and what it cost', async () => {
    await keepSecrets(fixture, 2);
    const lost = await loseNewest();
    await abandon(lost);
    expect((await readAudit(fixture)).at(-1)).toEqual({
      actor: ACTOR,
      action: 'key_ring.abandon',
      details: { before: lost, reason, secrets: { webhook_secret: 2 }, sealing: fixture.first },
    });
  });

  test('a key is abandoned when the whole ring is gone, and a new ring can be made', async () => {
    await keepSecrets(fixture, 1);
    await rm(fixture.path);
    await expect(initKeyRing(ringContext(fixture), ALICE)).rejects.toMatchObject({ code: 'RING_KNOWN' });
    expect(await abandon(fixture.first)).toMatchObject({ sealing: undefined });
    expect(await readKnownKeys(fixture.database.queries)).toEqual([]);
    const fresh = await initKeyRing(ringContext(fixture), ALICE);
    expect((await readKnownKeys(fixture.database.queries)).map((key) => [key.id, key.seals])).toEqual([[fresh, true]]);
    const made = await keepSecrets(fixture, 1);
    expect(await openKept(fixture, await openKeyRing(fixture.path), made)).toEqual(plainOf(made));
  });

  test('abandoning a key leaves what other keys sealed as it is', async () => {
    const kept = await keepSecrets(fixture, 2);
    const lost = await addRingKey(ringContext(fixture), ALICE);
    await copyFile(`${fixture.path}.previous`, fixture.path);
    expect(await abandon(lost)).toEqual({ key: lost, secrets: {}, sealing: fixture.first });
    expect(await openKept(fixture, await openKeyRing(fixture.path), kept)).toEqual(plainOf(kept));
  });
});

describe('a key that is not abandoned', () => {
  test('a key is not abandoned while the ring at hand has it', async () => {
    await expect(abandon(fixture.first)).rejects.toMatchObject({ code: 'KEY_IN_RING' });
  });

  test('a key is not abandoned while a living process has it', async () => {
    const lost = await loseNewest();
    await reportProcess(fixture, { keyIds: [lost] });
    await expect(abandon(lost)).rejects.toMatchObject({
      code: 'KEY_HELD',
      details: { key: lost, holder: 'worker host-1:7' },
    });
    await reportProcess(fixture, { keyIds: [lost] }, 61);
    expect(await abandon(lost)).toMatchObject({ key: lost });
  });

  test('a key that the database does not know is not abandoned', async () => {
    await expect(abandon('kNone')).rejects.toMatchObject({ code: 'KEY_NOT_IN_DATABASE', details: { key: 'kNone' } });
  });
});
