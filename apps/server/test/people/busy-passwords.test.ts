import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { KeyRingFixture } from '../../rig/database/key-ring-fixture.ts';
import { ALICE, openKeyRingFixture } from '../../rig/database/key-ring-fixture.ts';
import { personOf } from '../../rig/people/person-of.ts';
import { actAs } from '../../src/db/act-as.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { acceptAsNewPerson } from '../../src/people/accept-invitation.ts';
import { linkSubject } from '../../src/people/attempt.ts';
import { createPerson } from '../../src/people/create-person.ts';
import { isPassword, NOBODYS_HASH } from '../../src/people/password.ts';
import { drawLinkToken, hashLinkToken } from '../../src/people/person.ts';
import { setPassword } from '../../src/people/set-password.ts';
import { signIn } from '../../src/people/sign-in.ts';
import { stepUp } from '../../src/people/step-up.ts';
import type { KeyRing } from '../../src/secrets/key-ring.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';

/** What is counted and hashed while a flood fills the queue for password hashes. */

const VISITOR = { kind: 'visitor', address: '192.0.2.7', agent: 'rig' } as const;
const FIT = 'a word that nobody guesses';
const MORE_THAN_WAIT = 30;

let fixture: KeyRingFixture;
let ring: KeyRing;
let people = 0;
let mail: string;
let code: string;
let token: string;
beforeAll(async () => {
  fixture = await openKeyRingFixture(inject('template'));
  ring = await openKeyRing(fixture.path);
});
afterAll(() => fixture.close());
beforeEach(async () => {
  mail = `busy-${(people += 1)}@acme.test`;
  const created = await createPerson({ database: fixture.database, clock: systemClock }, ALICE, {
    mail: { normal: mail, shown: mail },
    name: 'Busy',
    language: 'en',
    operatorRole: null,
  });
  ({ code, linkToken: token } = created);
});

/** Keeps every place in both queues for hashes taken while something is tried. */
async function whileBusy<Done>(attempt: () => Promise<Done>): Promise<Done> {
  const over = new AbortController();
  const keepHashing = async (by: Parameters<typeof isPassword>[2]) => {
    while (!over.signal.aborted)
      await isPassword(FIT, NOBODYS_HASH, by).catch(() => new Promise((resolve) => setImmediate(resolve)));
  };
  // Each from another address: a client that waits twice would let others go first.
  const flood = Array.from({ length: MORE_THAN_WAIT }, (_unused, place) => [
    keepHashing({ known: `flood ${place}` }),
    keepHashing({ stranger: { site: `site ${place}`, block: `block ${place}` } }),
  ]).flat();
  try {
    return await attempt();
  } finally {
    over.abort();
    await Promise.all(flood);
  }
}

const contextFor = (linkToken?: string) => {
  const linkHash = linkToken === undefined ? undefined : hashLinkToken(linkToken);
  const database = linkHash ? actAs(fixture.database, { linkHash }, { prepared: true }) : fixture.database;
  return { database, clock: systemClock, jobs: undefined, ring };
};

async function usedOf(like: string): Promise<number> {
  const { rows } = await fixture.database.pool.query<{ used: number }>(
    'select coalesce(sum(used), 0)::integer as used from attempt_budgets where subject like $1',
    [like],
  );
  return rows[0]?.used ?? 0;
}

const subjectOf = (linkToken: string) => linkSubject(hashLinkToken(linkToken) ?? Buffer.alloc(0));

test('a sign-in that is refused because too many passwords wait uses up no guess', async () => {
  await setPassword(contextFor(token), VISITOR, { token, password: FIT });
  const asked = { mailNormal: mail, password: FIT };
  await whileBusy(async () => {
    for (let time = 0; time < 2; time += 1)
      await expect(signIn(contextFor(), VISITOR, asked)).rejects.toMatchObject({ code: 'TOO_BUSY' });
  });
  expect(await usedOf('sign-in:%')).toBe(0);
  expect(await usedOf('from:%')).toBe(0);
  expect(await signIn(contextFor(), VISITOR, asked)).toMatchObject({ half: false });
});

test('a step-up that is refused because too many passwords wait uses up no guess', async () => {
  const person = await personOf(fixture.database, code);
  await whileBusy(async () => {
    for (let time = 0; time < 2; time += 1)
      await expect(stepUp(contextFor(), person, { password: FIT })).rejects.toMatchObject({ code: 'TOO_BUSY' });
  });
  expect(await usedOf(`factor:${person.id}`)).toBe(0);
});

test('a password by a link that is refused because too many wait uses up no attempt of the link', async () => {
  await whileBusy(async () => {
    for (let time = 0; time < 2; time += 1)
      await expect(setPassword(contextFor(token), VISITOR, { token, password: FIT })).rejects.toMatchObject({
        code: 'TOO_BUSY',
      });
  });
  expect(await usedOf(subjectOf(token))).toBe(0);
  await setPassword(contextFor(token), VISITOR, { token, password: FIT });
});

test('an unfit password, a used link and an unknown link are refused without a hash', async () => {
  const unknown = drawLinkToken();
  const joined = { name: 'Ada', language: 'en', password: FIT } as const;
  const registering = { ...contextFor(unknown), registration: 'open' } as const;
  await whileBusy(async () => {
    await expect(setPassword(contextFor(token), VISITOR, { token, password: 'password1234' })).rejects.toMatchObject({
      code: 'PASSWORD_UNFIT',
    });
    await expect(setPassword(contextFor(unknown), VISITOR, { token: unknown, password: FIT })).rejects.toMatchObject({
      code: 'LINK_INVALID',
    });
    await expect(acceptAsNewPerson(registering, VISITOR, { ...joined, token: unknown })).rejects.toMatchObject({
      code: 'INVITATION_UNKNOWN',
    });
  });
  await setPassword(contextFor(token), VISITOR, { token, password: FIT });
  await whileBusy(async () => {
    await expect(setPassword(contextFor(token), VISITOR, { token, password: FIT })).rejects.toMatchObject({
      code: 'LINK_INVALID',
    });
  });
});

test('a link has five passwords hashed in a quarter of an hour', async () => {
  await fixture.database.pool.query('insert into attempt_budgets (subject, started_at, used) values ($1, now(), 5)', [
    subjectOf(token),
  ]);
  await expect(setPassword(contextFor(token), VISITOR, { token, password: FIT })).rejects.toMatchObject({
    code: 'TOO_MANY_ATTEMPTS',
  });
});
