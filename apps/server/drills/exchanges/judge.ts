import type { Database } from '../../src/db/database.ts';
import { closeDatabase, openDatabase } from '../../src/db/database.ts';
import { gatherFaults } from '../../rig/report/faults.ts';
import type { Faults } from '../../rig/report/faults.ts';
import type { InvoiceRow } from '../chain/rows.ts';
import { checkLedger, readInvoiceRows } from '../chain/rows.ts';
import type { Book, Entry } from './book.ts';
import type { World } from './world.ts';

/** The judge: compares what was done at the platforms with the database's rows, without using the product's code. */

const COUNTED = [
  'payments',
  'completed',
  'lost',
  'double',
  'false_expiries',
  'unexpired',
  'stuck',
  'unexplained',
] as const;
type Counted = (typeof COUNTED)[number];
/** Counts that may still become zero with time; every other count is final as soon as it is not zero. */
const PENDING: readonly Counted[] = ['lost', 'unexpired', 'stuck', 'unexplained'];

export type Verdict = Record<Counted, number> & {
  ledger_imbalance: number;
  /** Kinds of orders whose invoice expired first and completed afterwards, each with its alarm. */
  completedLate: Set<string>;
  /** Invoices that are completed by the row that pays them. */
  completedInvoices: Set<string>;
};

type Judgement = { verdict: Verdict; faults: Faults; alarms: ReadonlyMap<string, number> };

const SETTLE_POLL_MS = 1_000;

function blame({ verdict, faults }: Judgement, key: Counted, { invoice, why }: Entry, fault: string): void {
  verdict[key] += 1;
  faults.add(`${key}: ${invoice.transId} (${why}) at ${invoice.place.network} ${invoice.place.account.uid} ${fault}`);
}

function judgePaid(judgement: Judgement, entry: Entry, row: InvoiceRow): void {
  const { verdict, alarms } = judgement;
  const { payment, ending, invoice } = entry;
  if (!payment) return;
  verdict.payments += 1;
  if (row.status !== 'completed') {
    if (row.status === 'expired' && ending === 'completed')
      blame(judgement, 'false_expiries', entry, `expired though ${payment.id} pays it`);
    return blame(judgement, 'lost', entry, `is ${row.status} though ${payment.id} pays it`);
  }
  verdict.completed += 1;
  if (row.tx === payment.id) verdict.completedInvoices.add(invoice.transId);
  if (row.tx !== payment.id) blame(judgement, 'double', entry, `is completed by ${row.tx}, not by ${payment.id}`);
  const expired = row.late ? 1 : 0;
  if (row.completedEvents !== 1 || row.expiredEvents !== expired)
    blame(judgement, 'double', entry, `has ${row.completedEvents} completions and ${row.expiredEvents} expiries told`);
  if (row.late && ending === 'completed')
    blame(judgement, 'false_expiries', entry, `had expired before ${payment.id} was found`);
  if (!row.late && ending === 'late') blame(judgement, 'double', entry, 'had expired and is not called late');
  if (!row.late) return;
  if (alarms.get(invoice.transId) === 1) verdict.completedLate.add(entry.why);
  else blame(judgement, 'double', entry, `completed late with ${alarms.get(invoice.transId) ?? 0} alarms`);
}

function judgeUnpaid(judgement: Judgement, entry: Entry, row: InvoiceRow): void {
  if (row.status === 'completed')
    return blame(judgement, 'double', entry, `is completed by ${row.tx} and was not paid`);
  if (row.status === 'processing') return blame(judgement, 'stuck', entry, 'is still processing');
  if (row.expiredEvents > 1 || row.completedEvents > 0)
    blame(judgement, 'double', entry, `has ${row.completedEvents} completions and ${row.expiredEvents} expiries told`);
  if (row.status === 'expired' && !row.past) blame(judgement, 'false_expiries', entry, 'expired before its end');
  if (row.status === 'waiting' && row.past) blame(judgement, 'unexpired', entry, 'is past its end');
}

/** Rows that were recorded twice, or pay nothing without a reason. */
const TRANSFER_CHECKS: readonly { key: 'double' | 'unexplained'; meaning: string; statement: string }[] = [
  {
    key: 'double',
    meaning: 'is recorded twice',
    statement: 'select tx_id as found from transfers group by network, tx_id having count(*) > 1',
  },
  {
    key: 'double',
    meaning: 'completed two invoices',
    statement: `select transaction_hash as found from invoices where status = 'completed'
      group by transaction_hash having count(*) > 1`,
  },
  {
    key: 'unexplained',
    meaning: 'neither pays an invoice nor has a reason',
    statement: 'select tx_id as found from transfers where canonical and invoice_id is null and reason is null',
  },
];

async function judgeTransfers(database: Database, { verdict, faults }: Judgement): Promise<void> {
  for (const { key, meaning, statement } of TRANSFER_CHECKS) {
    const { rows } = await database.pool.query<{ found: string }>(statement);
    verdict[key] += rows.length;
    for (const { found } of rows) faults.add(`${key}: row ${found} ${meaning}`);
  }
}

async function readLateAlarms(database: Database): Promise<Map<string, number>> {
  const { rows } = await database.pool.query<{ subject: string; count: number }>(
    `select subject, count(*)::integer as count from alarms where kind = 'found-late' group by subject`,
  );
  return new Map(rows.map(({ subject, count }) => [subject, count]));
}

async function judge(world: World, database: Database, book: Book): Promise<Judgement> {
  const counts = Object.fromEntries(COUNTED.map((key) => [key, 0])) as Record<Counted, number>;
  // Invoices are read before alarms: the alarm of an invoice that completed late is then always among the alarms read,
  // even while workers go on.
  const invoices = await readInvoiceRows(database, new Date(world.clock.nowMs()));
  const rows = new Map(invoices.map((row) => [row.transId, row]));
  const judgement: Judgement = {
    verdict: { ...counts, ledger_imbalance: 0, completedLate: new Set(), completedInvoices: new Set() },
    faults: gatherFaults(),
    alarms: await readLateAlarms(database),
  };
  for (const entry of book.entries) {
    const row = rows.get(entry.invoice.transId);
    if (!row) blame(judgement, 'lost', entry, 'is not stored');
    else if (entry.ending === 'unpaid') judgeUnpaid(judgement, entry, row);
    else judgePaid(judgement, entry, row);
  }
  await judgeTransfers(database, judgement);
  judgement.verdict.ledger_imbalance = await checkLedger(database, judgement.faults);
  return judgement;
}

/**
 * Judges again and again until no count is pending, a final count shows a fault, or the time is over; the last
 * judgement counts.
 */
export async function settle(world: World, book: Book, timeoutMs: number): Promise<Verdict> {
  const options = { url: world.drill.url, connections: 1, name: 'counterfoil-drill', reports: true };
  const database = openDatabase(options, () => {});
  const started = performance.now();
  try {
    let judgement = await judge(world, database, book);
    const isPending = () => PENDING.some((key) => judgement.verdict[key] > 0);
    while (isPending() && performance.now() - started < timeoutMs) {
      await world.pause(SETTLE_POLL_MS);
      judgement = await judge(world, database, book);
    }
    for (const fault of judgement.faults.all()) world.faults.add(fault);
    const { completed, payments } = judgement.verdict;
    const seconds = Math.round((performance.now() - started) / 1_000);
    world.say(`settled after ${seconds} s: ${completed} completed of ${payments} paid`);
    return judgement.verdict;
  } finally {
    await closeDatabase(database);
  }
}
