import { closeDatabase, openDatabase } from '../src/db/database.ts';
import { parseDecimal } from '../src/lib/amount.ts';
import { canonicalTokens } from '../test/chain/token.ts';
import type { Faults } from './concurrency-client.ts';
import { gatherFaults } from './concurrency-client.ts';
import type { Driver } from './chain-driver.ts';
import type { InvoiceRow } from './chain-rows.ts';
import { checkLedger, readInvoiceRows } from './chain-rows.ts';
import type { TrueChain, TrueTransfer } from './chain-truth.ts';
import { MIDDLE_CONFIRMATIONS, paymentKey, readTruth, requiredDepth } from './chain-truth.ts';
import type { Symbol, World } from './chain-world.ts';
import { SLOTS, SYMBOLS, waitUntil } from './chain-world.ts';

/** The judge: the chain against the rows. It asks the program nothing. */

export type Verdict = {
  payments: number;
  completed: number;
  lost: number;
  double: number;
  false_expiries: number;
  unexpired: number;
  stuck_processing: number;
  ledger_imbalance: number;
  events_missing: number;
  events_double: number;
};

const COIN_DECIMALS = 18;
/** A block may be stamped this long before the quote that it pays. */
const SKEW_SECONDS = 120;
const DEEPEST = Math.max(2 * SLOTS.BSC, 2 * SLOTS.ETH, MIDDLE_CONFIRMATIONS);
const SETTLE_POLL_MS = 1_000;

type Judgement = {
  verdict: Verdict;
  faults: Faults;
  truth: Record<Symbol, TrueChain>;
  byKey: Map<string, TrueTransfer[]>;
};

function unitsOf(world: World, quote: InvoiceRow['quotes'][number]): bigint {
  const { anvil } = world.sides[quote.network as Symbol];
  const token = canonicalTokens(anvil.chainId).find(({ symbol }) => symbol === quote.token);
  const units = parseDecimal(quote.amount, token?.decimals ?? COIN_DECIMALS);
  if (units === undefined) throw new Error(`${quote.amount} ${quote.token} is no amount.`);
  return units;
}

/** Canonical transfers of exactly what the invoice asks for, inside its window and at the depth of its rule. */
function paymentsOf(world: World, judgement: Judgement, invoice: InvoiceRow): TrueTransfer[] {
  return invoice.quotes.flatMap((quote) => {
    const chain = judgement.truth[quote.network as Symbol];
    const settled = chain.head - requiredDepth(quote.network, invoice.amountUsd);
    const key = paymentKey(quote.network, quote.token, quote.to, unitsOf(world, quote));
    return (judgement.byKey.get(key) ?? []).filter(
      ({ time, height }) =>
        time >= Math.floor(quote.madeAt) - SKEW_SECONDS && time <= invoice.expiresAt && height <= settled,
    );
  });
}

/** Its every network shows, at the depth of its rule, a block later than its end. */
function isCovered(judgement: Judgement, invoice: InvoiceRow): boolean {
  return invoice.quotes.every((quote) => {
    const chain = judgement.truth[quote.network as Symbol];
    const time = chain.times[chain.head - requiredDepth(quote.network, invoice.amountUsd)] ?? 0;
    return time > invoice.expiresAt;
  });
}

function judgeStatus(judgement: Judgement, invoice: InvoiceRow, payments: readonly TrueTransfer[]): void {
  const { verdict, faults } = judgement;
  const blame = (key: keyof Verdict, fault: string) => {
    verdict[key] += 1;
    faults.add(`${key}: ${invoice.transId} ${fault}`);
  };
  if (payments.length > 0) verdict.payments += 1;
  if (invoice.status === 'completed') {
    verdict.completed += 1;
    if (!payments.some(({ tx }) => tx === invoice.tx)) {
      blame('double', `is completed by ${invoice.tx}, which is not a settled payment of it in the chain`);
    } else if (invoice.late) blame('false_expiries', 'had expired before its payment was found');
    return;
  }
  if (invoice.status === 'processing') blame('stuck_processing', 'is still processing');
  const [first] = payments;
  if (first) {
    blame('lost', `is ${invoice.status} though ${first.tx} in block ${first.height} of ${first.network} pays it`);
    if (invoice.status === 'expired') blame('false_expiries', `expired though ${first.tx} pays it`);
  } else if (invoice.status === 'waiting' && invoice.past && isCovered(judgement, invoice)) {
    blame('unexpired', 'is past its end and covered');
  }
}

function judgeEvents(judgement: Judgement, invoice: InvoiceRow): void {
  const { verdict, faults } = judgement;
  const completed = invoice.wantsEvents && invoice.status === 'completed' ? 1 : 0;
  const expired = invoice.wantsEvents && (invoice.status === 'expired' || invoice.late) ? 1 : 0;
  const missing = Math.max(0, completed - invoice.completedEvents) + Math.max(0, expired - invoice.expiredEvents);
  const more = Math.max(0, invoice.completedEvents - completed) + Math.max(0, invoice.expiredEvents - expired);
  verdict.events_missing += missing;
  verdict.events_double += more;
  if (missing + more > 0) {
    const found = `${invoice.completedEvents} completed, ${invoice.expiredEvents} expired`;
    faults.add(`events: ${invoice.transId} is ${invoice.status} and has ${found}`);
  }
}

/** No transaction settles two invoices (the drill never pays two with one), and no amount has two owners. */
function judgeSharing(world: World, judgement: Judgement, invoices: readonly InvoiceRow[]): void {
  const { verdict, faults } = judgement;
  const owners = new Map<string, string>();
  const claim = (what: string, transId: string) => {
    const owner = owners.get(what);
    if (owner !== undefined && owner !== transId) {
      verdict.double += 1;
      faults.add(`double: ${what} belongs to ${owner} and to ${transId}`);
    }
    owners.set(what, transId);
  };
  for (const invoice of invoices) {
    if (invoice.tx !== null) claim(`transaction ${invoice.tx}`, invoice.transId);
    for (const quote of invoice.quotes) {
      claim(`amount ${paymentKey(quote.network, quote.token, quote.to, unitsOf(world, quote))}`, invoice.transId);
    }
  }
}

async function judge(world: World): Promise<Judgement> {
  const database = openDatabase(
    { url: world.drill.url, connections: 1, name: 'counterfoil-drill', reports: true },
    () => {},
  );
  try {
    // Rows first: the chain that is read afterwards can only show more.
    const invoices = await readInvoiceRows(database);
    const chains = await Promise.all(SYMBOLS.map((symbol) => readTruth(world.sides[symbol])));
    const judgement: Judgement = {
      verdict: {
        payments: 0,
        completed: 0,
        lost: 0,
        double: 0,
        false_expiries: 0,
        unexpired: 0,
        stuck_processing: 0,
        ledger_imbalance: 0,
        events_missing: 0,
        events_double: 0,
      },
      faults: gatherFaults(),
      truth: Object.fromEntries(chains.map((chain) => [chain.network, chain])) as Record<Symbol, TrueChain>,
      byKey: Map.groupBy(
        chains.flatMap((chain) => chain.transfers),
        (transfer) => transfer.key,
      ),
    };
    for (const invoice of invoices) {
      judgeStatus(judgement, invoice, paymentsOf(world, judgement, invoice));
      judgeEvents(judgement, invoice);
    }
    judgeSharing(world, judgement, invoices);
    judgement.verdict.ledger_imbalance = await checkLedger(database, judgement.faults);
    return judgement;
  } finally {
    await closeDatabase(database);
  }
}

/** What time alone mends; everything else is final as soon as it is seen. */
const PENDING = ['lost', 'unexpired', 'stuck_processing'] as const;

function isPending({ verdict }: Judgement): boolean {
  return PENDING.some((key) => verdict[key] > 0);
}

function isBroken({ verdict }: Judgement): boolean {
  const { double, false_expiries, ledger_imbalance, events_missing, events_double } = verdict;
  return double + false_expiries + ledger_imbalance + events_missing + events_double > 0;
}

const isDeep = (driver: Driver) => driver.waiting() === 0 && driver.counts().quietBlocks > DEEPEST;

/** A payment counts once it is deep enough for the deepest rule: until then nothing is owed for it. */
async function untilDeep(world: World, timeoutMs: number): Promise<void> {
  const drivers = SYMBOLS.map((symbol) => world.sides[symbol].driver);
  if (!(await waitUntil(world, timeoutMs, () => drivers.every(isDeep)))) throw new Error('Payments are not mined.');
}

/** Judges until all is settled, something is broken for good, or the time is over; the last word counts. */
export async function settle(world: World, timeoutMs: number): Promise<Verdict> {
  await untilDeep(world, timeoutMs);
  const started = performance.now();
  let judgement = await judge(world);
  while (isPending(judgement) && !isBroken(judgement) && performance.now() - started < timeoutMs) {
    await world.pause(SETTLE_POLL_MS);
    judgement = await judge(world);
  }
  for (const fault of judgement.faults.all()) world.faults.add(fault);
  if (judgement.verdict.payments === 0) world.faults.add('the chain shows no payment at all');
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  world.say(
    `settled after ${seconds} s: ${judgement.verdict.completed} completed of ${judgement.verdict.payments} paid`,
  );
  return judgement.verdict;
}
