import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { quoteInvoice, receiveUnmatched } from '../../rig/invoices/make-unmatched.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { systemClock } from '../lib/clock.ts';
import { findCandidates, listUnmatched } from './unmatched-list-sql.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());

const list = ({ merchantAccountId, id }: TestStore, dismissed: boolean, looked = 50) =>
  listUnmatched(own.database.queries, { merchantAccountId, storeIds: [id], dismissed }, { looked, limit: looked });

const idsOf = ({ transfers }: Awaited<ReturnType<typeof list>>) => transfers.map(({ id }) => String(id));

test('a store lists its own unmatched money, dismissed or not, with or without an invoice, and no other', async () => {
  const [store, stranger] = [await openStore(own.database), await openStore(own.database)];
  const { to, quoteId } = await quoteInvoice(own.database, store, '5');
  const theirs = await quoteInvoice(own.database, stranger, '5');
  const unknown = await receiveUnmatched(own.database, to, { amount: '1', reason: 'unknown' });
  const meant = await receiveUnmatched(own.database, to, { amount: '4', quoteId });
  const dismissed = await receiveUnmatched(own.database, to, { amount: '3' });
  await receiveUnmatched(own.database, theirs.to, { amount: '4', quoteId: theirs.quoteId });
  // Stores may share an address: this money was meant for the invoice of the other store.
  await receiveUnmatched(own.database, to, { amount: '4', quoteId: theirs.quoteId });
  await own.database.pool.query(
    `insert into dismissed_transfers (merchant_account_id, transfer_id, dismissed_by, dismissed_at, note)
     values ($1, $2, 'test', now(), 'known')`,
    [store.merchantAccountId, dismissed],
  );
  expect(idsOf(await list(store, false))).toEqual([meant, unknown]);
  expect(idsOf(await list(store, true))).toEqual([dismissed]);
});

test('a page is as long as asked for while one address has more', async () => {
  const store = await openStore(own.database);
  const { to } = await quoteInvoice(own.database, store, '5');
  const made = [];
  for (let amount = 1; amount <= 15; amount += 1)
    made.push(await receiveUnmatched(own.database, to, { amount: String(amount) }));
  const page = await list(store, false, 13);
  expect(idsOf(page)).toEqual(made.toReversed().slice(0, 13));
  expect(String(page.lookedTo)).toBe(made[2]);
});

test('quotes that a transfer may have been meant for have the nearest amounts on each side', async () => {
  const store = await openStore(own.database);
  let to = '';
  for (const amount of ['10', '20', '30', '40', '60', '70', '80', '90'])
    ({ to } = await quoteInvoice(own.database, store, amount));
  const at = new Date(systemClock.nowMs());
  const sought = {
    transferId: 1n,
    network: 'BSC',
    token: 'USDT',
    address: to,
    displayUnits: 50_000_000n,
    quoteId: null,
    at,
  };
  const found = await findCandidates(own.database.queries, [store.id], [sought]);
  const units = found.map(({ displayUnits }) => Number(displayUnits) / 1_000_000);
  expect(units.toSorted((one, other) => one - other)).toEqual([20, 30, 40, 60, 70, 80]);
});
