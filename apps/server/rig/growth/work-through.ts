import { VISITOR } from '../stores/open-store.ts';
import { namePayment } from '../../src/invoices/name-payment.ts';
import { findToken } from '../../src/networks/network.ts';
import { payNative } from '../chains/evm/payment.ts';
import { reorg, rollback } from '../chains/evm/reorg.ts';
import { sendSigned, signPayment } from '../chains/evm/signed.ts';
import type { WorkerRig } from './worker-rig.ts';
import { createOne, drain, grow, networkOf, payOne, quoteOne } from './worker-rig.ts';
import { giveUpAccount, payAtExchange, troubleExchange } from './exchange-work.ts';
import { askToAttach, leaveTeam } from './attach-work.ts';
import { unitsOf } from '../invoices/pay-invoice.ts';
import { changeMethods, seedDecidedChanges } from './method-work.ts';
import { seedPastTopups, topUp } from './topup-work.ts';
import { tellFacts } from './notice-work.ts';
import { workInSandbox } from './sandbox-work.ts';

/**
 * A round of the worker's whole work: payments of every kind, a reorg, wallets added and removed, expiry, webhooks that
 * succeed and fail, and every other loop. The same for any content of the tables.
 */

const LIFETIME_MS = 31 * 60_000;
/**
 * Number of blocks after which payments have settled. The number is small, because the node loses contracts when
 * hundreds of its blocks are above a reorg.
 */
const SETTLING_BLOCKS = 24;
/** Time after which a missing payment on Solana counts as gone. */
const DOUBT_MS = 11_000;
/** A time longer than the quarantine of an amount. */
const REST_MS = 26 * 3_600_000;
/** Every loop but those that look at all there is; these run once in each round. */
const all = (name: string) => name !== 'days' && name !== 'notices';
const follows = (name: string) => /^(follow|prove|explain)/.test(name);

/** Coin units worth far less than ten cents, which is dust. */
const DUST_UNITS = 1_000_000n;

const fetchPrices = (rig: WorkerRig) => drain(rig, (name) => name === 'prices');

/**
 * Removes overwritten versions of the rows that are written most often. How many there are depends on how often a loop
 * came by, and indexes lead to each of them until a vacuum.
 */
async function tidy(rig: WorkerRig): Promise<void> {
  await rig.admin.query('vacuum (index_cleanup on) followed_accounts, deliveries, exchange_accounts, amount_slots');
}

async function pay(rig: WorkerRig): Promise<void> {
  const exact = await quoteOne(rig, 'BSC', 'USDT');
  await payOne(rig, exact, unitsOf(exact));
  const coin = await quoteOne(rig, 'BSC', 'BNB');
  await payOne(rig, coin, unitsOf(coin));
  await payOne(rig, coin, DUST_UNITS);
  const failing = await quoteOne(rig, 'BSC', 'USDT', 'failing');
  await payOne(rig, failing, unitsOf(failing));
  const short = await quoteOne(rig, 'BSC', 'USDT');
  await payOne(rig, short, unitsOf(short) - 10n ** 16n);
  const twice = await quoteOne(rig, 'BSC', 'USDT');
  await payOne(rig, twice, unitsOf(twice));
  await payOne(rig, twice, unitsOf(twice));
  const named = await quoteOne(rig, 'SOL', 'USDT');
  await payOne(rig, named, unitsOf(named), named.reference ?? undefined);
  const plain = await quoteOne(rig, 'SOL', 'USDT');
  await payOne(rig, plain, unitsOf(plain));
  await payOne(rig, plain, 77_777n);
}

/**
 * Number of transactions that are named per round. One would be too few to compare: the first insert into a table reads
 * pages that later inserts find in memory.
 */
const NAMED = 3;

/** Submits a transaction hash like a payer on the page: coins sent for an invoice quoted in a token. */
async function nameOne(rig: WorkerRig): Promise<void> {
  const quote = await quoteOne(rig, 'BSC', 'USDT');
  const txId = await payNative(rig.anvil, { to: quote.toAddress as `0x${string}`, units: 10n ** 18n });
  const { rows } = await rig.own.pool.query<{ id: bigint; store_id: bigint }>(
    'select i.id, i.store_id from invoices i join quotes q on q.invoice_id = i.id where q.id = $1',
    [quote.id],
  );
  const [invoice] = rows;
  if (!invoice) throw new Error('The invoice is gone.');
  const request = { invoiceId: invoice.id, storeId: invoice.store_id, network: 'BSC', txId };
  await namePayment({ database: rig.own }, VISITOR, request);
}

/** Lets a payment be seen and then dropped by a reorg. */
async function loseOne(rig: WorkerRig): Promise<void> {
  const lost = await quoteOne(rig, 'BSC', 'USDT');
  await payOne(rig, lost, unitsOf(lost));
  await grow(rig, 6);
  await drain(rig, follows);
  await reorg(rig.anvil, 6);
  await grow(rig, 1);
  await drain(rig, follows);
}

/** Makes a reorg at the node: drops its newest 8 blocks, which were read, and mines other blocks. */
async function fallBack(rig: WorkerRig): Promise<void> {
  await rollback(rig.anvil, 8);
  await drain(rig, follows);
  await grow(rig, 8);
  await drain(rig, follows);
}

/** Takes the payment of a completed invoice away, which freezes the network, and brings the payment back. */
async function freezeAndThaw(rig: WorkerRig): Promise<void> {
  await fetchPrices(rig);
  const quote = await quoteOne(rig, 'BSC', 'USDT');
  const [to, token] = [quote.toAddress, findToken(networkOf('BSC'), 'USDT')?.contract] as `0x${string}`[];
  if (!to || !token) throw new Error('There is nobody to pay.');
  const signed = await signPayment(rig.anvil, { payer: 1, to, units: unitsOf(quote), token });
  await sendSigned(rig.anvil, signed);
  await grow(rig, SETTLING_BLOCKS);
  await drain(rig, follows);
  await reorg(rig.anvil, SETTLING_BLOCKS);
  await grow(rig, 1);
  await drain(rig, follows);
  await sendSigned(rig.anvil, signed);
  await grow(rig, SETTLING_BLOCKS);
  await drain(rig, follows);
}

/** Drops a payment on Solana that was confirmed and never becomes final. */
async function loseConfirmed(rig: WorkerRig): Promise<void> {
  const lost = await quoteOne(rig, 'SOL', 'USDT');
  await payOne(rig, lost, unitsOf(lost));
  await grow(rig, 2);
  await drain(rig, follows);
  rig.solana.drop(2);
  await grow(rig, SETTLING_BLOCKS);
  await drain(rig, follows);
  rig.clock.advance(DOUBT_MS);
  await drain(rig, follows);
}

/** A transaction version newer than any that Solana has announced, so that the transaction is unreadable. */
const UNKNOWN_VERSION = 9;

/** Makes a payment on Solana in a transaction that is unreadable at first, and becomes readable later. */
async function hideOne(rig: WorkerRig): Promise<void> {
  await fetchPrices(rig);
  const hidden = await quoteOne(rig, 'SOL', 'USDT');
  const signature = await payOne(rig, hidden, unitsOf(hidden));
  rig.solana.behave({ versions: new Map([[signature, UNKNOWN_VERSION]]) });
  const retry = async () => {
    await rig.own.pool.query(`update unreadable_transactions set next_try_at = clock_timestamp()`);
    await drain(rig, follows);
  };
  await grow(rig, 2);
  await drain(rig, follows);
  await retry();
  rig.solana.behave({ versions: new Map() });
  await retry();
}

/**
 * Pays an invoice after its end, and has a worker attach the payment, as a member asks for it: the invoice stays expired
 * until the payment settles.
 */
async function payLate(rig: WorkerRig): Promise<void> {
  await fetchPrices(rig);
  const late = await quoteOne(rig, 'BSC', 'USDT');
  rig.clock.advance(LIFETIME_MS);
  await grow(rig, SETTLING_BLOCKS);
  await drain(rig, all);
  const txId = await payOne(rig, late, unitsOf(late));
  await grow(rig, 6);
  await drain(rig, all);
  await askToAttach(rig, late.id, txId);
  await drain(rig, all);
  await leaveTeam(rig);
  await grow(rig, SETTLING_BLOCKS);
  await drain(rig, all);
}

async function openUnpaid(rig: WorkerRig): Promise<void> {
  await createOne(rig);
  await quoteOne(rig, 'BSC', 'USDT');
  await quoteOne(rig, 'SOL', 'USDT');
}

async function changeWallets(rig: WorkerRig): Promise<void> {
  const { own, addresses } = rig;
  await own.pool.query('update wallets set removed_at = now() where address = $1', [addresses.removed]);
  await grow(rig, 1);
  await drain(rig, follows);
}

async function hasDue(rig: WorkerRig): Promise<boolean> {
  const { rowCount } = await rig.own.pool.query(
    `select from deliveries where state = 'pending' and next_attempt_at <= $1 limit 1`,
    [new Date(rig.clock.nowMs())],
  );
  return rowCount !== 0;
}

/**
 * Sends events to receivers. First all receivers fail, so that every SQL statement for failures and for waiting in turn
 * is sent; a minute later a single receiver still fails; finally that receiver recovers too.
 */
async function tell(rig: WorkerRig): Promise<void> {
  const { receiver } = rig;
  receiver.answer = (_request, response) => response.writeHead(500).end();
  await rig.dispatchUntil(async () => !(await hasDue(rig)));
  rig.clock.advance(60_000);
  receiver.answer = (request, response) => response.writeHead(request.url === '/failing' ? 500 : 200).end();
  await rig.dispatchUntil(async () => !(await hasDue(rig)));
  rig.clock.advance(600_000);
  await drain(rig, (name) => name === 'probe');
  receiver.answer = (_request, response) => response.end('ok');
  await rig.dispatchUntil(async () => !(await hasDue(rig)));
}

/** Deletes an event with its delivery, and another delivery without its event. */
async function loseRows(rig: WorkerRig): Promise<void> {
  await rig.admin.query(`
    with lost as (
      select e.id, row_number() over (order by e.id) as place from events e join event_checks c on e.created_at > c.reached_at
      where e.invoice_id is not null order by e.id limit 2
    ), undelivered as (delete from deliveries d using lost l where d.event_row_id = l.id)
    select from lost`);
  await rig.admin.query(`
    delete from events where id in (select e.id from events e join event_checks c on e.created_at > c.reached_at
      where not exists (select from deliveries d where d.event_row_id = e.id) order by e.id limit 1)`);
}

/** Makes some events and attempts old enough to be deleted. */
async function ageSome(rig: WorkerRig): Promise<void> {
  await rig.admin.query(`
    with aged as (
      update events set created_at = now() - interval '200 days'
      where id in (select id from events where body is not null order by id desc limit 4) returning id)
    insert into attempts (at, delivery_id, number, duration_ms, status, request_headers)
    select now() - interval '200 days', id, 99, 1, 200, '{}' from aged`);
}

export async function workThrough(rig: WorkerRig): Promise<void> {
  // Makes all followed accounts idle, so that each starts again with its next demand, as after a long pause.
  await rig.own.pool.query(`update followed_accounts set state = 'idle', next_read_at = 'infinity'`);
  await fetchPrices(rig);
  await payAtExchange(rig);
  await fetchPrices(rig);
  await tidy(rig);
  await troubleExchange(rig);
  await tidy(rig);
  await giveUpAccount(rig);
  await tidy(rig);
  await workInSandbox(rig);
  await fetchPrices(rig);
  await tidy(rig);
  await pay(rig);
  await topUp(rig);
  await openUnpaid(rig);
  for (let named = 0; named < NAMED; named += 1) await nameOne(rig);
  await grow(rig, 6);
  await drain(rig, all);
  await tidy(rig);
  await loseOne(rig);
  await tidy(rig);
  await hideOne(rig);
  await loseConfirmed(rig);
  await fallBack(rig);
  await rig.restart();
  await grow(rig, SETTLING_BLOCKS);
  await drain(rig, all);
  await changeWallets(rig);
  rig.clock.advance(LIFETIME_MS);
  await grow(rig, SETTLING_BLOCKS);
  await drain(rig, all);
  await tidy(rig);
  await payLate(rig);
  await tidy(rig);
  await freezeAndThaw(rig);
  await tidy(rig);
  await tell(rig);
  await loseRows(rig);
  await ageSome(rig);
  await rig.registry.metrics();
  rig.clock.advance(REST_MS);
  await grow(rig, SETTLING_BLOCKS);
  await drain(rig, all);
  // Last, when no amount is held: a new key causes a read from the oldest held amount on.
  await tidy(rig);
  await changeMethods(rig);
  await tellFacts(rig);
}

/** Runs once after the past was seeded: moves the cursors to where a long-running worker would have them. */
export async function settleIn(rig: WorkerRig): Promise<void> {
  await rig.own.pool.query(`update event_checks set reached_at = now(), reached_id = 0`);
  await rig.own.pool.query(`insert into counted_days values (current_date - 2, now(), 1, now())`);
  await seedDecidedChanges(rig.admin, rig.store.id);
  await seedPastTopups(rig.admin, rig.store.id);
  await drain(rig, follows);
}
