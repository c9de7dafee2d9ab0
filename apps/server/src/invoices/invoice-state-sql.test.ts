import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { quoteInvoice, receiveUnmatched } from '../../rig/invoices/make-unmatched.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { readStates } from './invoice-state-sql.ts';

let own: TestDatabase;
let store: TestStore;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  store = await openStore(own.database);
});
afterAll(() => own.drop());

const change = (statement: string, id: string) => own.database.pool.query(statement, [id]);

test.each<[string, string, boolean]>([
  ['money that was meant for it', 'update transfers set canonical = true where id = $1', true],
  ['money that left the chain', 'update transfers set canonical = false where id = $1', false],
  ['money that is not explained yet', 'update transfers set reason = null where id = $1', false],
])('an expired invoice shows that money arrived, or not: %s', async (_what, statement, arrived) => {
  const { transId, quoteId, to } = await quoteInvoice(own.database, store, '5');
  const transfer = await receiveUnmatched(own.database, to, { amount: '4', quoteId });
  await change(`update invoices set status = 'expired' where trans_id = $1`, transId);
  await change(statement, transfer);
  expect(await readStates(own.database.queries, [store.id], [transId])).toMatchObject([{ transId, arrived }]);
});

test('states are listed by the codes of their invoices', async () => {
  const made = [];
  for (const amount of ['6', '7', '8']) made.push((await quoteInvoice(own.database, store, amount)).transId);
  const states = await readStates(own.database.queries, [store.id], made.toReversed());
  expect(states.map(({ transId }) => transId)).toEqual(made.toSorted());
});
