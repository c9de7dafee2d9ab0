import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { pagesPerCall } from '../../rig/database/measure-buffers.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { actAs } from '../../src/db/act-as.ts';
import type { Queries } from '../../src/db/database.ts';
import type { Tx } from '../../src/db/transaction.ts';
import {
  countAttachments,
  findAttachment,
  findInvoiceOfStore,
  findNewestAttachment,
  findOwnTransfer,
  listStoresOfInvoices,
} from '../../src/invoices/attachment-sql.ts';
import { REACHED } from '../../src/people/membership-sql.ts';
import { findCandidates, listUnmatched } from '../../src/invoices/unmatched-list-sql.ts';
import { listDeliveries } from '../../src/webhooks/delivery-list-sql.ts';
import {
  findEvent,
  findStoreOfEvent,
  listAttemptsOf,
  listDeliveriesOfEvent,
} from '../../src/webhooks/event-view-sql.ts';
import { countByHand, countChosen, insertRedeliveries, lockChosen } from '../../src/webhooks/redelivery-sql.ts';
import { countTestEvents } from '../../src/webhooks/test-event-sql.ts';

/**
 * Pages that each statement about webhooks and unmatched money touches, as the person of the request, among many rows of
 * others: for a merchant with rows of its own and for one without any.
 */

const MERCHANTS = 200;
const ROWS = 16_000;
/** The merchant with rows, and the one without. */
const [FULL, EMPTY] = [1n, BigInt(MERCHANTS)];
const PAGE = { looked: 2_500, limit: 51 };

/** Seeds by one script, because the verbs would take minutes. Every merchant but the last has the same number of rows. */
const SEED = `
insert into plans (code, fee_rate_percent, created_at) values ('p', 0.5, now());
insert into merchants (name, code, created_at) select 'm' || n, 'ACC-' || n, now() from generate_series(1, ${MERCHANTS}) n;
insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
  select n, 'MID-' || n, 'A', 's' || n, 1, now() from generate_series(1, ${MERCHANTS}) n;
insert into people (code, mail_normal, mail_shown, name, language, created_at)
  select 'PER-' || n, n || '@acme.test', n || '@acme.test', 'p', 'en', now() from generate_series(1, ${MERCHANTS}) n;
insert into memberships (merchant_account_id, person_id, role, since) select n, n, 'owner', now() from generate_series(1, ${MERCHANTS}) n;
insert into receiving_addresses (family, address, merchant_account_id, claimed_at)
  select 'evm', '0x' || n, n, now() from generate_series(1, ${MERCHANTS}) n;
insert into wallets (store_id, merchant_account_id, network, family, address, added_at)
  select n, n, 'BSC', 'evm', '0x' || n, now() from generate_series(1, ${MERCHANTS}) n;
insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd)
  select 1 + n % ${MERCHANTS - 1}, 'TID-' || lpad(n::text, 16, '0'), 50, now(), now() + interval '1 hour', 0
  from generate_series(1, ${ROWS}) n;
insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units, finality,
    price_sources, held_from)
  select id, 'BSC', 'USDT', '0x' || store_id, 50, 1, now(), 50000000 + id, 'finalized', '[]', now() from invoices order by id;
insert into events (event_id, store_id, invoice_id, sequence, type, body, created_at)
  select 'evt_' || id, store_id, id, 1, 'invoice.expired', '{}', now() - make_interval(mins => (${ROWS} - id)::integer) from invoices order by id;
insert into endpoints (store_id, url, host) select n, 'https://x' || n, 'x' || n from generate_series(1, ${MERCHANTS - 1}) n;
insert into deliveries (event_row_id, endpoint_id, store_id, invoice_id, sequence, host, state, attempts, next_attempt_at, created_at, by_hand)
  select e.id, p.id, e.store_id, e.invoice_id, 1, p.host, case when e.id % 50 = 0 then 'failed' else 'delivered' end, 1, e.created_at,
    e.created_at, e.id % 100 = 0
  from events e join endpoints p on p.store_id = e.store_id order by e.id;
insert into attempts (at, delivery_id, number, duration_ms, status, request_headers)
  select created_at, id, 1, 5, 200, '{}' from deliveries order by id;
insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at, quote_id, reason)
  select 'BSC', 'tx' || q.id, 'USDT:0', 'USDT', 'f', q.to_address, 49000000000000000000, 1, 'h', now(), now(), q.id, 'short'
  from quotes q order by q.id;
insert into attachments (code, merchant_account_id, store_id, transfer_id, invoice_id, asked_by, asked_at, next_try_at, state, decided_at)
  select 'ATT-' || t.id, i.store_id, i.store_id, t.id, i.id, 'p', now(), now(), 'done', now()
  from transfers t join quotes q on q.id = t.quote_id join invoices i on i.id = q.invoice_id where t.id % 10 = 0;
insert into dismissed_transfers (merchant_account_id, transfer_id, note, dismissed_by, dismissed_at)
  select q.store_id, t.id, 'x', 'p', now()
  from transfers t join (select q.id, i.store_id from quotes q join invoices i on i.id = q.invoice_id) q on q.id = t.quote_id where t.id % 7 = 0`;

let own: TestDatabase;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  const seeder = new pg.Client({ connectionString: own.url });
  await seeder.connect();
  // Foreign keys are not checked here: the rows are made from each other.
  await seeder.query('set session_replication_role = replica');
  await seeder.query(SEED);
  await seeder.query('vacuum analyze');
  await seeder.end();
});
afterAll(() => own.drop());

type Statement = (queries: Queries, of: bigint) => Promise<unknown>;
const DAY_AGO = new Date(Date.now() - 86_400_000);
const HOUR_AGO = new Date(Date.now() - 3_600_000);
const SOUGHT = { network: 'BSC', token: 'USDT', displayUnits: 50_010_000n, quoteId: null };
const inbox = (of: bigint, dismissed: boolean) => ({ merchantAccountId: of, storeIds: [of], dismissed });

/** Statements of the role of views, which plans them as it likes. The number is what one call may touch, in pages. */
const OF_VIEWS: [string, number, Statement][] = [
  ['deliveries', 2_000, (queries, of) => listDeliveries(queries, [of], {}, PAGE)],
  ['failed deliveries', 250, (queries, of) => listDeliveries(queries, [of], { state: 'failed' }, PAGE)],
  ['deliveries by answer', 2_000, (queries, of) => listDeliveries(queries, [of], { answer: '5xx' }, PAGE)],
  ['deliveries of a time', 600, (queries, of) => listDeliveries(queries, [of], { from: DAY_AGO, to: HOUR_AGO }, PAGE)],
  ['an event', 60, (queries, of) => findEvent(queries, of, `evt_${of}`)],
  ['deliveries of an event', 60, (queries, of) => listDeliveriesOfEvent(queries, of, 20)],
  ['attempts of deliveries', 60, (queries, of) => listAttemptsOf(queries, [of], 50)],
  ['unmatched money', 2_500, (queries, of) => listUnmatched(queries, inbox(of, false), PAGE)],
  ['dismissed money', 1_500, (queries, of) => listUnmatched(queries, inbox(of, true), PAGE)],
  [
    'suggestions',
    1_500,
    (queries, of) => findCandidates(queries, [of], [{ ...SOUGHT, transferId: of, address: `0x${of}`, at: new Date() }]),
  ],
  ['a request to attach', 60, (queries, of) => findAttachment(queries, of, 'ATT-10')],
];

const NOBODY = Buffer.alloc(32);
const reachOf = (of: bigint) => ({
  reached: REACHED({ personId: of, sessionHash: NOBODY, now: new Date() }),
  merchantAccountId: of,
});
const range = (of: bigint) => ({ storeId: of, endpoint: undefined, from: DAY_AGO, to: HOUR_AGO });

/** Statements of the dashboard's own role. */
const OF_DASHBOARD: [string, number, Statement][] = [
  ['the store of an event', 60, (queries, of) => findStoreOfEvent(queries, of, `evt_${of}`)],
  ['the store of an invoice', 60, (queries, of) => listStoresOfInvoices(queries, of, ['TID-0000000000000199'])],
  ['a count of events', 200, (queries, of) => countChosen(queries, range(of), 10_001)],
  ['a lock of events', 200, (queries, of) => lockChosen(queries as Tx, range(of), 10_001)],
  ['deliveries by hand', 60, (queries, of) => countByHand(queries as Tx, of, DAY_AGO, 20_001)],
  ['test events', 60, (queries, of) => countTestEvents(queries as Tx, of, HOUR_AGO, 30)],
  [
    'redeliveries of nothing',
    60,
    (queries) => insertRedeliveries(queries as Tx, { eventRowIds: [], endpoint: undefined }, new Date()),
  ],
  ['a transfer', 60, (queries, of) => findOwnTransfer(queries as Tx, reachOf(of), of)],
  ['an invoice', 60, (queries, of) => findInvoiceOfStore(queries as Tx, of, 'TID-0000000000000199')],
  ['the newest request', 60, (queries, of) => findNewestAttachment(queries as Tx, of)],
  ['requests of a merchant', 60, (queries, of) => countAttachments(queries as Tx, of, DAY_AGO, 1_000)],
];

/** Most pages for a merchant without rows. To read any of the tables from end to end would take more. */
const MOST_EMPTY = 300;

/** Pages that a call touches on average, as the server counts them. */
function pagesOf(role: 'views' | 'dashboard', of: bigint, statement: Statement): Promise<number> {
  const { queries } = actAs(own.as(role), { personId: of }, { prepared: role === 'dashboard' });
  return pagesPerCall(own.database.pool, queries, () => statement(queries, of));
}

describe.each([
  ['views', OF_VIEWS],
  ['dashboard', OF_DASHBOARD],
] as const)('among rows of hundreds of merchants, as the role of the %s,', (role, statements) => {
  test.each(statements)('%s', async (name, most, statement) => {
    const [full, empty] = [await pagesOf(role, FULL, statement), await pagesOf(role, EMPTY, statement)];
    process.stdout.write(`${name}: ${full} pages, ${empty} with no rows\n`);
    expect({ full, empty, tooMany: full > most || empty > MOST_EMPTY }).toEqual({ full, empty, tooMany: false });
  });
});
