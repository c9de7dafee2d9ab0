import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { moveAccountCoverage } from '../../src/accounts/account-sql.ts';
import { askOthers } from '../../src/chains/ask-others.ts';
import { raiseProviderAlarms } from '../../src/chains/raise-provider-alarms.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { rememberReverted } from '../../src/invoices/change-invoice-sql.ts';
import { changeInvoices } from '../../src/invoices/change-invoices.ts';
import { nameTransaction } from '../../src/invoices/name-transaction.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import { SourceError } from '../../src/sources/chain-source.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { quoteInvoice } from '../../rig/invoices/make-unmatched.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';

/** A write that fails fails its caller with the database's own error: nothing after it runs, nothing is left pending. */

let own: TestDatabase;
let transId: string;
let invoiceId: bigint;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  ({ transId } = await quoteInvoice(own.database, await openStore(own.database), '5'));
  const statement = 'select id from invoices where trans_id = $1';
  const { rows } = await own.database.pool.query<{ id: bigint }>(statement, [transId]);
  invoiceId = rows[0]?.id ?? 0n;
  await own.database.pool.query(
    `create function refuse_write() returns trigger language plpgsql as $$ begin raise 'This write is refused.'; end $$`,
  );
});
afterAll(() => own.drop());

const AT = new Date('2026-02-01T00:00:00Z');
const POSITION = { height: 10, time: 1_700_000_000 };
const HASH = `0x${'ab'.repeat(32)}`;

const SILENT_MS = 60_000;
const refuse = () => Promise.reject(new SourceError('unavailable', 'It is away.'));

function createAsker() {
  const source = { network: { id: 'BSC' }, refused: () => [{ provider: 'one', reason: 'It is on another chain.' }] };
  const memory = { othersSilentSince: new Map(), alarmed: new Set<string>() };
  return { clock: createManualClock(0), database: own.database, log: pino({ level: 'silent' }), source, memory };
}

async function askLong(): Promise<void> {
  const asker = createAsker();
  await askOthers(asker, 'one', refuse).catch(() => {});
  asker.clock.advance(SILENT_MS);
  await askOthers(asker, 'one', refuse);
}

test.each<[string, string, () => Promise<void>]>([
  ['of an alarm about a provider on another chain', 'alarms', () => raiseProviderAlarms(createAsker())],
  ['of an alarm about providers that are silent', 'alarms', askLong],
  [
    'of the coverage of a followed account',
    'chain_coverage',
    () => inTransaction(own.database, (tx) => moveAccountCoverage(tx, 'SOL', 'account', POSITION)),
  ],
  [
    'of an invoice that lost its payment',
    'reverted_payments',
    () => inTransaction(own.database, (tx) => rememberReverted(tx, 'BSC', [invoiceId], AT)),
  ],
  [
    'of the amounts of an ended invoice',
    'quotes',
    () => inTransaction(own.database, (tx) => changeInvoices(tx, AT, [invoiceId], new Set([invoiceId]))),
  ],
  [
    'of a transaction that an operator named',
    'named_transactions',
    () =>
      nameTransaction({ database: own.database, clock: systemClock, networks: NETWORKS }, TESTER, {
        transId,
        network: 'BSC',
        txId: HASH,
        reason: 'asked by the payer',
      }),
  ],
])('a write %s that fails is an error of its caller', async (_what, table, act) => {
  await own.database.pool.query(
    `create trigger refused before insert or update on ${table} for each statement execute function refuse_write()`,
  );
  await expect(act()).rejects.toThrow('This write is refused.');
  await own.database.pool.query(`drop trigger refused on ${table}`);
});
