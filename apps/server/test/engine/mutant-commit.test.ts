import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { inTransaction } from '../../src/db/transaction.ts';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { readAvailable } from '../../src/ledger/ledger-sql.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { endOf, eventsOf, factsOf, statusOf } from '../../rig/invoices/look-up.ts';
import { expire, follow, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select } from '../../rig/invoices/pay-invoice.ts';
import { openPayableStore, openEngineFixture, secondsNow } from '../../rig/invoices/engine-fixture.ts';

/** Status, ledger entries, quarantined amounts and events of one change commit together or not at all, and once. */

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['ETH']);
  store = await openPayableStore(engine);
  await settle(engine, 'ETH');
  await engine.database.pool.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused by the test'; end $$`,
  );
});
afterAll(() => engine.close());
afterEach(allow);

const FEE = 250_000n;
const HELD = [{ kind: 'hold', hold_number: 1 }];

/**
 * Triggers that make the transaction fail at two points: when the event is written, and after everything is written.
 */
const REFUSALS: [string, string][] = [
  [
    'an event cannot be written',
    'create trigger refuse before insert on events for each row execute function refuse()',
  ],
  [
    'the commit fails',
    `create constraint trigger refuse after update on invoices deferrable initially deferred for each row
     when (new.status in ('completed', 'expired')) execute function refuse()`,
  ],
];

async function allow(): Promise<void> {
  for (const table of ['events', 'invoices'])
    await engine.database.pool.query(`drop trigger if exists refuse on ${table}`);
}

async function openQuote(): Promise<{ transId: string; quote: Awaited<ReturnType<typeof select>> }> {
  const transId = await newInvoice(engine, store);
  return { transId, quote: await select(engine, transId, 'ETH') };
}

async function entriesOf(transId: string): Promise<unknown[]> {
  const { rows } = await engine.database.pool.query(
    'select kind, hold_number from ledger_entries where invoice_id = $1 order by id',
    [(await factsOf(engine, transId)).id],
  );
  return rows;
}

test('a paid invoice costs its fee once, however often its payment is applied', async () => {
  const before = await readAvailable(engine.database.queries, store.id);
  const { transId, quote } = await openQuote();
  const hash = await pay(engine, quote);
  await settle(engine, 'ETH');
  const { rows } = await engine.database.pool.query<{ id: bigint }>('select id from transfers where tx_id = $1', [
    hash,
  ]);
  const apply = createApplyTransfers({ clock: engine.clock, networks: NETWORKS });
  await inTransaction(engine.as('worker'), (tx) =>
    apply(
      tx,
      'ETH',
      rows.map((row) => row.id),
    ),
  );
  expect(await statusOf(engine, store, transId)).toBe('completed');
  expect(await entriesOf(transId)).toEqual([...HELD, { kind: 'capture', hold_number: 1 }]);
  expect(await readAvailable(engine.database.queries, store.id)).toBe((before ?? 0n) - FEE);
  expect(await eventsOf(engine, transId)).toHaveLength(1);
});

/** Requires that the change left nothing: no status, no event, no entry, no quarantined amount. */
async function expectUntouched(transId: string, status: string): Promise<void> {
  expect(await statusOf(engine, store, transId)).toBe(status);
  expect(await eventsOf(engine, transId)).toEqual([]);
  expect(await entriesOf(transId)).toEqual(HELD);
  const { rows } = await engine.database.pool.query(
    `select held_to = 'infinity' as held from quotes where invoice_id = $1`,
    [(await factsOf(engine, transId)).id],
  );
  expect(rows).toEqual([{ held: true }]);
}

describe.each(REFUSALS)('when %s', (_title, refusal) => {
  test('an invoice does not expire, and does so with its event and its release afterwards', async () => {
    const { transId } = await openQuote();
    engine.clock.advance(((await endOf(engine, transId)) + 60 - secondsNow(engine)) * 1000);
    await settle(engine, 'ETH');
    await engine.database.pool.query(refusal);
    await expect(expire(engine)).rejects.toThrow('refused by the test');
    await expectUntouched(transId, 'waiting');
    await allow();
    await expire(engine);
    expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.expired', sequence: 1 }]);
    expect(await entriesOf(transId)).toEqual([...HELD, { kind: 'release', hold_number: 1 }]);
  });

  test('an invoice does not complete, and does so with its event and its fee afterwards', async () => {
    const { transId, quote } = await openQuote();
    await pay(engine, quote);
    await mineNow(engine, 'ETH', 6);
    await follow(engine, 'ETH');
    await engine.database.pool.query(refusal);
    await expect(settle(engine, 'ETH')).rejects.toThrow('refused by the test');
    await expectUntouched(transId, 'processing');
    await allow();
    await follow(engine, 'ETH');
    expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.completed', sequence: 1 }]);
    expect(await entriesOf(transId)).toEqual([...HELD, { kind: 'capture', hold_number: 1 }]);
  });
});
