import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { MailFixture } from '../../rig/mail/mail-fixture.ts';
import { openMailFixture, queue } from '../../rig/mail/mail-fixture.ts';
import { eraseMails } from './erase-mails.ts';

let fixture: MailFixture;
beforeAll(async () => {
  fixture = await openMailFixture(inject('template'));
});
afterAll(() => fixture.close());

const erase = () => eraseMails({ database: fixture.as('worker'), clock: fixture.clock });

async function decide(id: bigint, state: string, days: number): Promise<void> {
  await fixture.database.pool.query(
    `update mails set state = $2, decided_at = case when $2 = 'queued' then null else $3::timestamptz end,
       created_at = $3::timestamptz where id = $1`,
    [id, state, new Date(fixture.clock.nowMs() - days * 86_400_000)],
  );
}

async function leftIds(): Promise<bigint[]> {
  const { rows } = await fixture.database.pool.query<{ id: bigint }>('select id from mails order by id');
  return rows.map(({ id }) => id);
}

test('mails are erased 90 days after they were decided, whatever became of them; queued ones stay', async () => {
  const wanted: bigint[] = [];
  for (const state of ['sent', 'failed', 'unsent', 'dropped', 'queued'])
    for (const days of [91, 89]) {
      const { mailId } = await queue(fixture);
      await decide(mailId, state, days);
      if (days === 89 || state === 'queued') wanted.push(mailId);
    }
  expect(await erase()).toBe(false);
  expect(await leftIds()).toEqual(wanted);
});

test('a round erases a bounded number of mails, the oldest first, and says that there may be more', async () => {
  await fixture.database.pool.query(
    `insert into mails (template, language, to_address, data, state, created_at, decided_at)
     select 'mail-test', 'en', 'reader@acme.example', '{}', 'sent', '2020-01-01', '2020-01-01' from generate_series(1, 700)`,
  );
  const before = await leftIds();
  expect(await erase()).toBe(true);
  expect(await erase()).toBe(false);
  expect(before.length - (await leftIds()).length).toBe(700);
});
