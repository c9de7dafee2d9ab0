import { parseDecimal } from '@counterfoil/core/amount.ts';
import type { Database } from '../../src/db/database.ts';
import { closeDatabase, openDatabase } from '../../src/db/database.ts';
import { findToken } from '../../src/networks/network.ts';
import { gatherFaults } from '../../rig/report/faults.ts';
import { judgeTransfers } from './explained.ts';
import type { Figures, PartFigures } from '../../rig/report/chain-figures.ts';
import type { Counted, Judgement, Verdict } from './judgement.ts';
import { blame, chainOf, nothing } from './judgement.ts';
import type { InvoiceRow } from './rows.ts';
import { checkLedger, readInvoiceRows, readTransferRows } from './rows.ts';
import { settledHeight, settlingBlocks } from './rules.ts';
import type { TrueTransfer } from './truth.ts';
import { paymentKey, secondsAt } from './truth.ts';
import type { World } from './world.ts';
import { sideOf, sidesOf, waitUntil } from './world.ts';

/** Judge of the drill: compares the chains with the database's rows, without using the product's code. */

/** Seconds by which a block's time may lie before the quote that a payment in the block pays. */
const SKEW_SECONDS = 120;
const SETTLE_POLL_MS = 1_000;

function unitsOf(world: World, quote: InvoiceRow['quotes'][number]): bigint {
  const token = findToken(sideOf(world, quote.network).network, quote.token);
  const units = token && parseDecimal(quote.amount, token.decimals);
  if (units === undefined) throw new Error(`${quote.amount} ${quote.token} is no amount.`);
  return units;
}

/**
 * Canonical transfers of exactly the amount of one of the invoice's quotes, made between the quote and the invoice's
 * end, and settled by the invoice's tier.
 */
function paymentsOf(judgement: Judgement, invoice: InvoiceRow): TrueTransfer[] {
  const { world } = judgement;
  return invoice.quotes.flatMap((quote) => {
    const chain = chainOf(judgement, quote.network);
    const settled = settledHeight(sideOf(world, quote.network), chain, invoice.amountUsd, 'most');
    const key = paymentKey(quote.network, quote.token, quote.to, unitsOf(world, quote));
    return (judgement.byKey.get(key) ?? []).filter(
      ({ time, height }) =>
        time >= Math.floor(quote.madeAt) - SKEW_SECONDS && time <= invoice.expiresAt && height <= settled,
    );
  });
}

/**
 * Whether every network of the invoice shows a block later than the invoice's end that is settled by the invoice's
 * tier.
 */
function isCovered(judgement: Judgement, invoice: InvoiceRow): boolean {
  return invoice.quotes.every((quote) => {
    const chain = chainOf(judgement, quote.network);
    const settled = settledHeight(sideOf(judgement.world, quote.network), chain, invoice.amountUsd, 'most');
    return secondsAt(chain, settled) > invoice.expiresAt;
  });
}

/**
 * The network under which an invoice is counted: that of its last quote, or the first network for an invoice without a
 * quote.
 */
const networkOf = ({ world }: Judgement, { quotes }: InvoiceRow) => quotes.at(-1)?.network ?? world.symbols[0] ?? '';

function judgeStatus(judgement: Judgement, invoice: InvoiceRow, payments: readonly TrueTransfer[]): void {
  const [first] = payments;
  const network = first?.network ?? networkOf(judgement, invoice);
  const own = judgement.verdict.networks[network];
  const accuse = (key: Counted, fault: string) => blame(judgement, network, key, `${invoice.transId} ${fault}`);
  if (first && own) own.payments += 1;
  if (invoice.status === 'completed') {
    if (own) own.completed += 1;
    if (!payments.some(({ tx }) => tx === invoice.tx)) {
      accuse('double', `is completed by ${invoice.tx}, which is not a settled payment of it in the chain`);
    } else if (invoice.late) accuse('false_expiries', 'had expired before its payment was found');
    return;
  }
  if (invoice.status === 'processing') accuse('stuck_processing', `is still processing on ${network}`);
  if (first) {
    accuse('lost', `is ${invoice.status} though ${first.tx} in block ${first.height} of ${first.network} pays it`);
    if (invoice.status === 'expired') accuse('false_expiries', `expired though ${first.tx} pays it`);
  } else if (invoice.status === 'waiting' && invoice.past && isCovered(judgement, invoice)) {
    accuse(
      'unexpired',
      `is past its end and covered on ${invoice.quotes.map((quote) => quote.network).join(', ') || 'none'}`,
    );
  }
}

function judgeEvents(judgement: Judgement, invoice: InvoiceRow): void {
  const own = judgement.verdict.networks[networkOf(judgement, invoice)];
  const completed = invoice.wantsEvents && invoice.status === 'completed' ? 1 : 0;
  const expired = invoice.wantsEvents && (invoice.status === 'expired' || invoice.late) ? 1 : 0;
  const missing = Math.max(0, completed - invoice.completedEvents) + Math.max(0, expired - invoice.expiredEvents);
  const more = Math.max(0, invoice.completedEvents - completed) + Math.max(0, invoice.expiredEvents - expired);
  if (!own || missing + more === 0) return;
  own.events_missing += missing;
  own.events_double += more;
  const found = `${invoice.completedEvents} completed, ${invoice.expiredEvents} expired`;
  judgement.faults.add(`events: ${invoice.transId} is ${invoice.status} and has ${found}`);
}

/**
 * Checks that no transaction settles two invoices (the drill never pays two invoices with one transaction), and that no
 * amount slot belongs to two invoices.
 */
function judgeSharing(judgement: Judgement, invoices: readonly InvoiceRow[]): void {
  const owners = new Map<string, string>();
  const claim = (invoice: InvoiceRow, what: string) => {
    const owner = owners.get(what);
    if (owner !== undefined && owner !== invoice.transId)
      blame(
        judgement,
        networkOf(judgement, invoice),
        'double',
        `${what} belongs to ${owner} and to ${invoice.transId}`,
      );
    owners.set(what, invoice.transId);
  };
  for (const invoice of invoices) {
    if (invoice.tx !== null) claim(invoice, `transaction ${invoice.tx}`);
    for (const quote of invoice.quotes) {
      const units = unitsOf(judgement.world, quote);
      claim(invoice, `amount ${paymentKey(quote.network, quote.token, quote.to, units)}`);
    }
  }
}

async function judge(world: World, database: Database): Promise<Judgement> {
  // Invoice rows are read before the chains: a chain read later only shows more payments and blocks.
  const invoices = await readInvoiceRows(database, new Date(world.clock.nowMs()));
  const transfers = await readTransferRows(database);
  const chains = sidesOf(world).map((side) => side.truth());
  const judgement: Judgement = {
    world,
    verdict: { networks: Object.fromEntries(world.symbols.map((symbol) => [symbol, nothing()])), ledger: 0 },
    faults: gatherFaults(),
    truth: Object.fromEntries(chains.map((chain) => [chain.network, chain])),
    byKey: Map.groupBy(
      chains.flatMap((chain) => chain.transfers),
      (transfer) => transfer.key,
    ),
  };
  for (const invoice of invoices) {
    judgeStatus(judgement, invoice, paymentsOf(judgement, invoice));
    judgeEvents(judgement, invoice);
  }
  judgeSharing(judgement, invoices);
  await judgeTransfers(judgement, transfers, database);
  judgement.verdict.ledger = await checkLedger(database, judgement.faults);
  return judgement;
}

/** Counts that may still become zero with time; every other count is final as soon as it is not zero. */
const PENDING: readonly Counted[] = ['lost', 'unexpired', 'stuck_processing', 'unexplained'];
const FINAL: readonly Counted[] = ['double', 'false_expiries', 'events_missing', 'events_double'];

const holdsAny = ({ verdict }: Judgement, keys: readonly Counted[]) =>
  Object.values(verdict.networks).some((own) => keys.some((key) => own[key] > 0));
const isBroken = (judgement: Judgement) => judgement.verdict.ledger > 0 || holdsAny(judgement, FINAL);

/** Waits until all payments are deep enough for the deepest tier: before that, no invoice has to be completed. */
async function untilDeep(world: World, timeoutMs: number): Promise<void> {
  const isDeep = () =>
    sidesOf(world).every(
      (side) =>
        side.driver.waiting() === 0 && side.driver.counts().quietBlocks > settlingBlocks(side, world.mostSettleSeconds),
    );
  if (!(await waitUntil(world, timeoutMs, isDeep))) throw new Error('Payments are not mined.');
}

/**
 * Judges again and again until no count is pending, a final count shows a fault, or the time is over; the last
 * judgement counts.
 */
async function judgeUntilSettled(world: World, timeoutMs: number): Promise<Judgement> {
  const database = openDatabase(
    { url: world.drill.url, connections: 1, name: 'counterfoil-drill', reports: true },
    () => {},
  );
  const deadline = performance.now() + timeoutMs;
  try {
    let judgement = await judge(world, database);
    while (holdsAny(judgement, PENDING) && !isBroken(judgement) && performance.now() < deadline) {
      await world.pause(SETTLE_POLL_MS);
      judgement = await judge(world, database);
    }
    return judgement;
  } finally {
    await closeDatabase(database);
  }
}

export async function settle(world: World, timeoutMs: number): Promise<Verdict> {
  await untilDeep(world, timeoutMs);
  const started = performance.now();
  const judgement = await judgeUntilSettled(world, timeoutMs);
  for (const fault of judgement.faults.all()) world.faults.add(fault);
  const all = Object.values(judgement.verdict.networks);
  const sum = (key: Counted) => all.reduce((total, own) => total + own[key], 0);
  if (sum('payments') === 0) world.faults.add('the chains show no payment at all');
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  world.say(`settled after ${seconds} s: ${sum('completed')} completed of ${sum('payments')} paid`);
  return judgement.verdict;
}

/** Figures of a part: the judgement, and the faults that each network's provider caused. */
export function figuresOf(world: World, { networks, ledger }: Verdict, shared: Partial<Figures> = {}): PartFigures {
  const figures = sidesOf(world).map((side) => {
    const { staleAnswers, indexLag, missingLogs, phantoms, limits, frozenHeads, duplicateLogs } = side.counts();
    const own: Partial<Figures> = {
      ...networks[side.symbol],
      reorgs: side.driver.counts().reorgs,
      stale_answers: staleAnswers,
      index_lag_faults: indexLag + missingLogs,
      phantom_faults: phantoms,
      limit_refusals: limits,
      frozen_heads: frozenHeads,
      duplicate_logs: duplicateLogs,
    };
    return [side.symbol, own] as const;
  });
  const swallowed = world.line?.swallowed() ?? 0;
  return {
    networks: Object.fromEntries(figures),
    shared: { ledger_imbalance: ledger, silent_lines: swallowed, ...shared },
  };
}
