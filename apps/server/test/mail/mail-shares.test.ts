import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { MailFixture } from '../../rig/mail/mail-fixture.ts';
import { gatherersWith, openMailFixture, queue, READER, work } from '../../rig/mail/mail-fixture.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import type { Gatherers } from '../../src/mail/gatherer.ts';
import type { MailData } from '../../src/mail/mail.ts';
import { queueMail } from '../../src/mail/queue-mail.ts';

/** Emails are sent in turn: security emails first, and those of one merchant do not delay those of another. */

let fixture: MailFixture;
beforeAll(async () => {
  fixture = await openMailFixture(inject('template'));
});
afterAll(() => fixture.close());
beforeEach(async () => {
  for (const table of ['pgboss.job', 'mails']) await fixture.database.pool.query(`delete from ${table}`);
});

/** Data loaders that note what they are asked for, and drop the emails. */
function notingGatherers(noted: MailData[]): Gatherers {
  const note = async (_context: unknown, data: MailData) => {
    noted.push(data);
    return undefined;
  };
  return gatherersWith({ invitation: note, 'reset-password': note, 'methods-locked': note, 'role-changed': note });
}

async function workOnce(): Promise<MailData[]> {
  const noted: MailData[] = [];
  await work(fixture, { gatherers: notingGatherers(noted) });
  return noted;
}

const sharesOf = (data: readonly MailData[]) =>
  data.map(({ merchant, person }) => merchant ?? person ?? 'none').toSorted();

test('a security email is sent before hundreds of ordinary ones, and merchants are served in turn', async () => {
  for (let number = 0; number < 30; number += 1)
    await queue(fixture, { template: 'invitation', data: { merchant: 'A' } });
  for (let number = 0; number < 3; number += 1)
    await queue(fixture, { template: 'invitation', data: { merchant: 'B' } });
  await queue(fixture, { template: 'reset-password', data: { person: '7' } });
  expect(sharesOf(await workOnce())).toEqual(['7', 'A', 'A', 'B', 'B']);
  expect(sharesOf(await workOnce())).toEqual(['A', 'A', 'A', 'A', 'B']);
});

test('security emails of one merchant do not delay those of another', async () => {
  for (let number = 0; number < 30; number += 1)
    await queue(fixture, { template: 'methods-locked', data: { merchant: 'A', person: String(number) } });
  await queue(fixture, { template: 'methods-locked', data: { merchant: 'B', person: '1' } });
  await queue(fixture, { template: 'reset-password', data: { person: '7' } });
  expect(sharesOf(await workOnce())).toEqual(['7', 'A', 'A', 'A', 'B']);
});

test('an email that merges stands for later ones and is sent once, with how many there were', async () => {
  const { clock, jobs } = fixture;
  const asked = { template: 'role-changed', language: 'en', to: READER, merges: true } as const;
  await queue(fixture, { template: 'invitation', data: { merchant: 'A' } });
  await workOnce();
  const ask = (person: string) =>
    inTransaction(fixture.as('dashboard'), (tx) =>
      queueMail(tx, { clock, jobs }, { ...asked, data: { merchant: 'A', person } }),
    );
  const ids = [await ask('1'), await ask('1'), await ask('1'), await ask('2')].map(({ mailId }) => mailId);
  expect(ids).toEqual([ids[0], ids[0], ids[0], ids[3]]);
  expect(await workOnce()).toEqual([]);
  await fixture.database.pool.query(`update pgboss.job set start_after = now() where state = 'created'`);
  const sent = (await workOnce()).toSorted((left, right) => Number(left['person']) - Number(right['person']));
  expect(sent).toEqual([
    { merchant: 'A', person: '1', merged: '2' },
    { merchant: 'A', person: '2' },
  ]);
  expect((await ask('1')).mailId).not.toBe(ids[0]);
});
