import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { KeyRingFixture } from '../../rig/database/key-ring-fixture.ts';
import { keepSecrets, openKeyRingFixture } from '../../rig/database/key-ring-fixture.ts';
import type { KeyRing } from './key-ring.ts';
import { createKeyRing, readKeyRing } from './key-ring.ts';
import { openSecret } from './open-secret.ts';
import { readSecret } from './secret-sql.ts';

const DOES_NOT_OPEN = 'unable to authenticate data';

let fixture: KeyRingFixture;
let ring: KeyRing;
beforeAll(async () => {
  fixture = await openKeyRingFixture(inject('template'));
  ring = await readKeyRing(fixture.path);
});
afterAll(() => fixture.close());

async function keepTwo() {
  const [first, second] = await keepSecrets(fixture, 2);
  if (!first || !second) throw new Error('Two secrets are needed.');
  return [first, second] as const;
}

const open = (id: bigint, purpose: string) => openSecret(fixture.database.queries, ring, id, purpose);

test('a stored secret opens to what was sealed, and the database never holds it in clear', async () => {
  const [{ id, purpose, plain }] = await keepTwo();
  expect(await open(id, purpose)).toBe(plain);
  expect((await readSecret(fixture.database.queries, id)).sealed.includes(plain)).toBe(false);
});

test('a stored secret does not open for another purpose', async () => {
  const [{ id }, { purpose }] = await keepTwo();
  await expect(open(id, purpose)).rejects.toThrow(DOES_NOT_OPEN);
});

test('a stored secret does not open in another row, even if its purpose is moved along', async () => {
  const [first, second] = await keepTwo();
  await fixture.database.pool.query(
    'update secrets set sealed = other.sealed, purpose = other.purpose from secrets other where secrets.id = $1 and other.id = $2',
    [first.id, second.id],
  );
  await expect(open(first.id, first.purpose)).rejects.toThrow(DOES_NOT_OPEN);
});

test('a stored secret does not open when a bit was changed', async () => {
  const [{ id, purpose }] = await keepTwo();
  await fixture.database.pool.query(
    `update secrets set sealed = set_bit(sealed, bit_count(sealed)::int % 100, 1 - get_bit(sealed, bit_count(sealed)::int % 100))
     where id = $1`,
    [id],
  );
  await expect(open(id, purpose)).rejects.toThrow(DOES_NOT_OPEN);
});

test('a ring that lacks the key is read again before it is said that the key is missing', async () => {
  const [{ id, purpose, plain }] = await keepTwo();
  let keys = createKeyRing().keys;
  const behind: KeyRing = {
    get keys() {
      return keys;
    },
    readAgain: async () => {
      keys = ring.keys;
    },
  };
  expect(await openSecret(fixture.database.queries, behind, id, purpose)).toBe(plain);
  await expect(openSecret(fixture.database.queries, createKeyRing(), id, purpose)).rejects.toMatchObject({
    code: 'RING_LACKS_KEY',
  });
});
