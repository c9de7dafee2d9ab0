import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { findKeptDust } from './coin-dust-sql.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  await own.database.pool.query(
    `insert into amount_slots (network, token, address, display_units, quote_id)
     values ('BSC', 'BNB', '0xa', 5, 1), ('BSC', 'BNB', '0xb', 7, 2), ('ETH', 'ETH', '0xa', 9, 3), ('BSC', 'BNB', '0xa', 12, 4)`,
  );
});
afterAll(() => own.drop());

test.each([
  ['a quoted amount at its own address', '0xa', 5n, true],
  ['a quoted amount above another one at its own address', '0xa', 12n, true],
  ['another amount at a quoted address', '0xa', 6n, false],
  ['an amount that is quoted at another address', '0xa', 7n, false],
  ['an amount that is quoted on another network', '0xa', 9n, false],
  ['an amount above all that are quoted', '0xa', 13n, false],
])(
  'few coins that were never recorded are kept only for a quoted amount: %s',
  async (_what, to, displayUnits, isKept) => {
    const candidate = { txId: '0x1', index: 'BNB:0', to, displayUnits };
    expect(await findKeptDust(own.database.queries, 'BSC', 'BNB', [candidate])).toEqual(new Set(isKept ? [0] : []));
  },
);
