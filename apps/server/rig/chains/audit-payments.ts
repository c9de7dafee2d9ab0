import { findNetwork } from './networks.ts';
import { findToken } from '../../src/networks/network.ts';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { chainUnits, WINDOW_SKEW_SECONDS } from '../../src/quotes/quote.ts';
import type { Arrival } from './chain-rig.ts';
import type { ChainFixture } from './chain-fixture.ts';

/**
 * Compares invoices and transfers in the database with the chain: no payment is lost or counted twice, and no invoice
 * expired that was paid in time.
 */

type InvoiceRow = {
  trans_id: string;
  status: string;
  late: boolean;
  token: string;
  to_address: string;
  display_units: string;
  opened: number;
  expires: number;
  events: string[];
  payers: string[];
};
type StoredRow = { tx_id: string; token: string; to_address: string; units: string };

const INVOICES = `
  select i.trans_id, i.status, i.late, q.token, q.to_address, q.display_units::text,
    floor(extract(epoch from q.created_at))::integer as opened, floor(extract(epoch from i.expires_at))::integer as expires,
    array(select e.type from events e where e.invoice_id = i.id order by e.sequence) as events,
    array(select t.tx_id from transfers t where t.invoice_id = i.id and t.canonical and t.reason is null) as payers
  from invoices i join quotes q on q.invoice_id = i.id where q.network = $1`;

const keyOf = (row: { txId: string; token: string; to: string; units: bigint }) =>
  `${row.txId} ${row.token} ${row.to} ${row.units}`;

function unitsOf(fixture: ChainFixture, row: InvoiceRow): bigint {
  const network = findNetwork(fixture.rig.network);
  const token = network && findToken(network, row.token);
  if (!token) throw new Error(`${row.token} is unknown.`);
  return chainUnits(BigInt(row.display_units), token);
}

function faultsOf(row: InvoiceRow, units: bigint, arrivals: readonly Arrival[]): string[] {
  const paidInTime = arrivals.filter(
    ({ to, token, time, units: paid }) =>
      to === row.to_address &&
      token === row.token &&
      paid === units &&
      time >= row.opened - WINDOW_SKEW_SECONDS &&
      time <= row.expires,
  );
  const expected = paidInTime.length > 0 ? 'completed' : 'expired';
  const faults: string[] = [];
  if (row.status !== expected) faults.push(`${row.trans_id} is ${row.status}, not ${expected}`);
  if (row.late) faults.push(`${row.trans_id} was found late`);
  if (row.events.join() !== `invoice.${expected}`)
    faults.push(`${row.trans_id} told ${row.events.join() || 'nothing'}`);
  const paidBy = row.payers.filter((payer) => paidInTime.some(({ txId }) => txId === payer));
  if (expected === 'completed' && (row.payers.length !== 1 || paidBy.length !== 1))
    faults.push(`${row.trans_id} is paid by ${row.payers.join() || 'nothing'}`);
  return faults;
}

/** Alarm kinds about providers, finality and clocks: a run may raise such alarms without any invoice being wrong. */
const OPERATIONAL = [
  'single-provider',
  'provider-silent',
  'providers-disagree',
  'logs-quiet',
  'duplicate-logs',
  'finality-stalled',
  'head-stalled',
  'method-unsupported',
  'clock-wrong',
  'clock-right',
];

export type Audit = { arrivals: number; invoices: number; faults: string[] };

/** Audits a fixture. Call when every invoice has ended and every block is covered. */
export async function auditPayments(fixture: ChainFixture): Promise<Audit> {
  const { engine, rig, addresses } = fixture;
  const arrivals = await rig.arrivals(addresses);
  const { rows: stored } = await engine.database.pool.query<StoredRow>(
    'select tx_id, token, to_address, units::text from transfers where network = $1 and canonical',
    [rig.network],
  );
  const onChain = arrivals.map(keyOf).sort();
  const inRows = stored
    .map((row) => keyOf({ txId: row.tx_id, token: row.token, to: row.to_address, units: BigInt(row.units) }))
    .sort();
  const faults =
    onChain.join('\n') === inRows.join('\n') ? [] : [`chain and rows differ: ${onChain.length}, ${inRows.length}`];
  const { rows: invoices } = await engine.database.pool.query<InvoiceRow>(INVOICES, [rig.network]);
  for (const row of invoices) faults.push(...faultsOf(row, unitsOf(fixture, row), arrivals));
  for (const fault of await findLedgerFaults(engine.database.queries, 10)) faults.push(JSON.stringify(fault));
  const { rows: alarms } = await engine.database.pool.query<{ kind: string }>(
    'select kind from alarms where kind <> all($1)',
    [OPERATIONAL],
  );
  faults.push(...alarms.map(({ kind }) => `alarm ${kind}`));
  return { arrivals: arrivals.length, invoices: invoices.length, faults };
}
