import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../test/harness.ts';
import { openTestDatabase } from '../../test/harness.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import { systemClock } from '../lib/clock.ts';
import type { KeyRing } from './key-ring.ts';
import { addRingKey, createKeyRing, readKeyRing, ringKey, writeKeyRing } from './key-ring.ts';
import { openSecret } from './open-secret.ts';
import { registerKeyRing } from './register-key-ring.ts';
import { rotateKeyRing } from './rotate-key-ring.ts';
import { sealSecret } from './seal-secret.ts';
import { countSecretsByRingKey, readSecret, replaceSealed } from './secret-store.ts';

const DOES_NOT_OPEN = 'unable to authenticate data';

let own: TestDatabase;
let folder: string;
let path: string;
beforeEach(async () => {
  own = await openTestDatabase(inject('adminUrl'), inject('template'));
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-ring-'));
  path = join(folder, 'ring.json');
});
afterEach(async () => {
  await own.drop();
  await rm(folder, { recursive: true });
});

async function openRing(): Promise<KeyRing> {
  const ring = createKeyRing();
  await writeKeyRing(path, ring);
  await registerKeyRing(own.database.queries, ring);
  return ring;
}

function keep(ring: KeyRing, purpose: string, plain: string): Promise<bigint> {
  return inTransaction(own.database, (tx) => sealSecret(tx, ring, purpose, plain));
}

type Kept = { id: bigint; purpose: string; plain: string };

async function keepMany(ring: KeyRing, count: number): Promise<Kept[]> {
  const kept: Kept[] = [];
  for (let number = 0; number < count; number += 1) {
    const secret = { purpose: `webhook_secret:${number}`, plain: `whsec_${number}` };
    kept.push({ ...secret, id: await keep(ring, secret.purpose, secret.plain) });
  }
  return kept;
}

async function openAll(ring: KeyRing, kept: readonly Kept[]): Promise<string[]> {
  const plain: string[] = [];
  for (const { id, purpose } of kept) plain.push(await openSecret(own.database.queries, ring, id, purpose));
  return plain;
}

const rotate = (ring: KeyRing) => rotateKeyRing(own.database, systemClock, { ring, path, actor: 'cli:alice' });
const onlyActive = (ring: KeyRing): KeyRing => ({
  active: ring.active,
  keys: new Map([[ring.active, ringKey(ring, ring.active)]]),
});

describe('a stored secret', () => {
  test('opens to what was sealed, and the database never holds it in clear', async () => {
    const ring = await openRing();
    const id = await keep(ring, 'webhook_secret:1', 'whsec_plain');
    expect(await openSecret(own.database.queries, ring, id, 'webhook_secret:1')).toBe('whsec_plain');
    expect((await readSecret(own.database.queries, id)).sealed.includes('whsec_plain')).toBe(false);
  });

  test('does not open for another purpose', async () => {
    const ring = await openRing();
    const id = await keep(ring, 'webhook_secret:1', 'whsec_plain');
    await expect(openSecret(own.database.queries, ring, id, 'webhook_secret:2')).rejects.toThrow(DOES_NOT_OPEN);
  });

  test('does not open in another row, even if its purpose is moved along', async () => {
    const ring = await openRing();
    const [first, second] = await keepMany(ring, 2);
    if (!first || !second) throw new Error('Two secrets are needed.');
    await own.database.pool.query(
      'update secrets set sealed = other.sealed, purpose = other.purpose from secrets other where secrets.id = $1 and other.id = $2',
      [first.id, second.id],
    );
    await expect(openSecret(own.database.queries, ring, first.id, first.purpose)).rejects.toThrow(DOES_NOT_OPEN);
  });

  test('does not open when a bit was changed', async () => {
    const ring = await openRing();
    const id = await keep(ring, 'webhook_secret:1', 'whsec_plain');
    await own.database.pool.query(
      'update secrets set sealed = set_bit(sealed, bit_count(sealed)::int % 100, 1 - get_bit(sealed, bit_count(sealed)::int % 100))',
    );
    await expect(openSecret(own.database.queries, ring, id, 'webhook_secret:1')).rejects.toThrow(DOES_NOT_OPEN);
  });
});

describe('rotation', () => {
  test('seals everything anew: no secret needs the old key any more, and all open as before', async () => {
    const kept = await keepMany(await openRing(), 5);
    const rotation = await rotate(await readKeyRing(path));
    expect(rotation.resealed).toBe(5);
    const ring = await readKeyRing(path);
    expect(ring.active).toBe(rotation.active);
    expect(await countSecretsByRingKey(own.database.queries)).toEqual([{ ringKeyId: ring.active, secrets: 5n }]);
    expect(await openAll(onlyActive(ring), kept)).toEqual(kept.map((one) => one.plain));
  });

  test('takes more secrets than one batch holds', async () => {
    const ring = await openRing();
    const kept = await keepMany(ring, 401);
    expect((await rotate(ring)).resealed).toBe(401);
    expect(await openAll(onlyActive(await readKeyRing(path)), kept.slice(-1))).toEqual(['whsec_400']);
  });

  test('once the old key is removed from the file, the ring is still accepted', async () => {
    const kept = await keepMany(await openRing(), 2);
    await rotate(await readKeyRing(path));
    const slim = onlyActive(await readKeyRing(path));
    await registerKeyRing(own.database.queries, slim);
    expect(await openAll(slim, kept)).toEqual(kept.map((one) => one.plain));
    expect((await rotate(slim)).resealed).toBe(2);
  });

  test('that stopped after the file was written can be repeated', async () => {
    const old = await openRing();
    const kept = await keepMany(old, 3);
    await writeKeyRing(path, addRingKey(old));
    expect((await rotate(await readKeyRing(path))).resealed).toBe(3);
    expect(await openAll(onlyActive(await readKeyRing(path)), kept)).toEqual(kept.map((one) => one.plain));
  });

  test('that stopped half way through the secrets can be repeated', async () => {
    const old = await openRing();
    const kept = await keepMany(old, 4);
    const half = addRingKey(old);
    await writeKeyRing(path, half);
    await registerKeyRing(own.database.queries, half);
    for (const { purpose, plain } of kept.slice(0, 2)) {
      const id = await keep(half, purpose, plain);
      const { sealed } = await readSecret(own.database.queries, id);
      const twin = kept.find((one) => one.purpose === purpose);
      if (twin) await inTransaction(own.database, (tx) => replaceSealed(tx, twin.id, half.active, sealed));
    }
    expect(await openAll(await readKeyRing(path), kept)).toEqual(kept.map((one) => one.plain));
    await rotate(await readKeyRing(path));
    expect(await openAll(onlyActive(await readKeyRing(path)), kept)).toEqual(kept.map((one) => one.plain));
  });

  test('is audited with the names of both keys and never the keys', async () => {
    const old = await openRing();
    const { active } = await rotate(old);
    const entries = await own.database.queries
      .selectFrom('audit_entries')
      .select(['actor', 'action', 'details'])
      .execute();
    expect(entries).toEqual([
      { actor: 'cli:alice', action: 'key_ring.rotate', details: { before: old.active, after: active, resealed: 0 } },
    ]);
    expect(await verifyAudit(own.database.queries)).toEqual({ entries: 1 });
  });
});

describe('a wrong ring is refused', () => {
  test('one that lacks a key that sealed something', async () => {
    await keepMany(await openRing(), 1);
    await expect(registerKeyRing(own.database.queries, createKeyRing())).rejects.toThrow(/lacks key k\w+/);
  });

  test('one that has another key under the same name', async () => {
    const ring = await openRing();
    const forged = { active: ring.active, keys: new Map([[ring.active, Buffer.alloc(32, 1)]]) };
    await expect(registerKeyRing(own.database.queries, forged)).rejects.toThrow('is not the key that sealed');
  });

  test('a refused ring leaves no trace in the database', async () => {
    await keepMany(await openRing(), 1);
    await registerKeyRing(own.database.queries, createKeyRing()).catch(() => {});
    expect(await own.database.queries.selectFrom('key_ring_keys').select('id').execute()).toHaveLength(1);
  });
});

describe('the ring file', () => {
  test('is readable by its owner only, and comes back as it was written', async () => {
    const ring = createKeyRing();
    await writeKeyRing(path, ring);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readKeyRing(path)).toEqual(ring);
  });

  test.each(['640', '604', '620', '666'])('with mode %s is refused: others could read or change it', async (mode) => {
    await writeKeyRing(path, createKeyRing());
    await chmod(path, Number.parseInt(mode, 8));
    await expect(readKeyRing(path)).rejects.toThrow('is open to others: chmod 600');
  });

  test.each([
    ['is not JSON', '{'],
    ['has another shape', '{"keys": []}'],
    ['lacks its active key', '{"active": "k1", "keys": {}}'],
    ['has a short key', '{"active": "k1", "keys": {"k1": "AAAA"}}'],
    ['has a key that is not base64', '{"active": "k1", "keys": {"k1": "***"}}'],
  ])('that %s is refused in words for an operator', async (_fault, text) => {
    await writeFile(path, text, { mode: 0o600 });
    await expect(readKeyRing(path)).rejects.toMatchObject({ name: 'OperatorError' });
  });

  test('that is not there is refused in words for an operator', async () => {
    await expect(readKeyRing(path)).rejects.toMatchObject({ name: 'OperatorError' });
  });

  test('an old draft left open to others by a crash does not make the new ring readable to them', async () => {
    await writeFile(`${path}.new`, 'left over', { mode: 0o644 });
    await writeKeyRing(path, createKeyRing());
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).not.toContain('left over');
  });
});
