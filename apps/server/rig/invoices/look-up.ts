import { findInvoices } from '../../src/invoices/invoice-sql.ts';
import { viewInvoice } from '../../src/invoices/invoice-view.ts';
import { readChain, readCoverage } from '../../src/chains/chain-sql.ts';
import type { TestStore } from '../stores/open-store.ts';
import type { EngineFixture } from './engine-fixture.ts';
import { fail } from './engine-fixture.ts';

/** Stored facts about an invoice, a payment or a network, for tests. */

export async function lookUp(
  engine: EngineFixture,
  store: TestStore,
  transId: string,
): Promise<ReturnType<typeof viewInvoice>> {
  const [row] = await findInvoices(engine.as('api').pool, [{ storeId: store.id, transId }]);
  if (!row) throw new Error(`${transId} was not found.`);
  return viewInvoice(row);
}

export async function statusOf(engine: EngineFixture, store: TestStore, transId: string): Promise<string> {
  return (await lookUp(engine, store, transId)).status;
}

export type TransferRow = {
  index: string;
  height: number;
  canonical: boolean;
  reason: string | null;
  trans_id: string | null;
};

/** Stored transfers of a transaction: height, invoice, and the reason why a transfer pays nothing. */
export async function transfersOf(engine: EngineFixture, txId: string): Promise<TransferRow[]> {
  const { rows } = await engine.database.pool.query<TransferRow>(
    `select t.index, t.height::float8 as height, t.canonical, t.reason, i.trans_id
     from transfers t left join invoices i on i.id = t.invoice_id where t.tx_id = $1 order by t.index`,
    [txId],
  );
  return rows;
}

export type InvoiceFacts = { id: bigint; expires_at: Date; late: boolean; gate_network: string | null };

export async function factsOf(engine: EngineFixture, transId: string): Promise<InvoiceFacts> {
  const { rows } = await engine.database.pool.query<InvoiceFacts>(
    'select id, expires_at, late, gate_network from invoices where trans_id = $1',
    [transId],
  );
  return rows[0] ?? fail();
}

export async function endOf(engine: EngineFixture, transId: string): Promise<number> {
  return (await factsOf(engine, transId)).expires_at.getTime() / 1000;
}

export async function alarmsOf(engine: EngineFixture, subject: string): Promise<string[]> {
  const { rows } = await engine.database.pool.query<{ kind: string }>(
    'select kind from alarms where subject = $1 order by id',
    [subject],
  );
  return rows.map((row) => row.kind);
}

export type Standing = { height: number; hash: string; frozen: boolean; covered: Record<string, number> };

/** The engine's position on a network: its cursor, and each tier's coverage. */
export async function standingOf(engine: EngineFixture, network: string): Promise<Standing> {
  const chain = (await readChain(engine.database.queries, network)) ?? fail();
  const coverage = await readCoverage(engine.database.queries, network);
  return {
    height: chain.height,
    hash: chain.hash,
    frozen: chain.frozen,
    covered: Object.fromEntries(coverage.map(({ tier, height }) => [tier, height])),
  };
}

export async function auditOf(engine: EngineFixture, subject: string): Promise<string[]> {
  const { rows } = await engine.database.pool.query<{ action: string }>(
    'select action from audit_entries where subject = $1 order by id',
    [subject],
  );
  return rows.map((row) => row.action);
}

export async function eventsOf(engine: EngineFixture, transId: string): Promise<Record<string, unknown>[]> {
  const { rows } = await engine.database.pool.query<{ body: string }>(
    'select e.body from events e join invoices i on i.id = e.invoice_id where i.trans_id = $1 order by e.sequence',
    [transId],
  );
  return rows.map((row) => JSON.parse(row.body) as Record<string, unknown>);
}
