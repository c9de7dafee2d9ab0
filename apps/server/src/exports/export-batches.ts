import type { Database } from '../db/database.ts';
import { isExchange } from '../networks/exchange-networks.ts';
import type { Networks } from '../networks/networks.ts';
import { AUDIT_HEADER, BEFORE_FIRST_LINE, closeAudit, writeAuditEntries } from './audit-lines.ts';
import { listPlaces, readAuditPage } from './audit-page-sql.ts';
import type { ExportFilter, ExportKind, ExportScope } from './export.ts';
import type { ExportedStore } from './export-sql.ts';
import { listExportedStores, readMerchantCode } from './export-sql.ts';
import { INVOICE_HEADER, writeInvoice } from './invoice-lines.ts';
import { readInvoicePage } from './invoice-page-sql.ts';
import { readLedgerPage, sumLedgerPart } from './ledger-page-sql.ts';
import type { Standing } from './statement-lines.ts';
import { closeStatement, openStatement, STATEMENT_HEADER, writeEntries } from './statement-lines.ts';
import { TRANSFER_HEADER, writeTransfer } from './transfer-lines.ts';
import { findNextPlace, readTransferPage } from './transfer-page-sql.ts';

/** Lines of a file, and how many rows they are. The reader may pause after each batch. */
type Batch = { text: string; rows: number };

type BatchContext = {
  database: Database;
  networks: Networks;
  pageRows: number;
};

type Asked = { scope: ExportScope; filter: ExportFilter };

/** Ledger entries summed per statement, inside the database. */
const SUMMED_ENTRIES = 20_000;
/** Audit entries read per statement, and per subject. */
const MOST_AUDIT_ENTRIES = 200;
/** Most places of a merchant as audit subjects in one export. */
const MOST_PLACES = 1_000;
const FIRST_PLACE = { network: '', address: '' };
const BEFORE_ALL = { height: -1n, id: 0n };

async function* readInvoices({ database: { queries }, networks, pageRows }: BatchContext, { scope, filter }: Asked) {
  yield { text: INVOICE_HEADER, rows: 0 };
  for (const store of await listExportedStores(queries, scope.storeIds)) {
    for (let after = 0n, isLast = false; !isLast;) {
      const page = await readInvoicePage(queries, { storeId: store.id, after, filter, limit: pageRows });
      const taken = page.filter(({ matches }) => matches);
      yield { text: taken.map((row) => writeInvoice(networks, store, row)).join(''), rows: taken.length };
      after = page.at(-1)?.id ?? after;
      isLast = page.length < pageRows;
    }
  }
}

async function* readTransfers({ database: { queries }, networks, pageRows }: BatchContext, { scope, filter }: Asked) {
  yield { text: TRANSFER_HEADER, rows: 0 };
  const stores = await listExportedStores(queries, scope.storeIds);
  const codes = new Map(stores.map(({ id, merchantId }) => [id, merchantId]));
  const codeOf = (id: bigint | null) => (id === null ? null : (codes.get(id) ?? null));
  const { storeIds } = scope;
  for (let place = await findNextPlace(queries, scope, FIRST_PLACE); place;) {
    for (let after = BEFORE_ALL, isLast = false; !isLast;) {
      const page = await readTransferPage(queries, { place, after, storeIds, filter, limit: pageRows });
      const taken = page.filter(({ matches }) => matches);
      const lines = taken.map((row) => writeTransfer(networks, codeOf(row.storeId), row));
      yield { text: lines.join(''), rows: taken.length };
      after = page.at(-1) ?? after;
      isLast = page.length < pageRows;
    }
    place = await findNextPlace(queries, scope, place);
  }
}

const EMPTY_HANDS: Standing = { availableMicroUsd: 0n, heldMicroUsd: 0n };

/** A store's balance before a moment. Yields between statements, so that the reader may pause. */
async function* standingBefore({ database: { queries } }: BatchContext, storeId: bigint, before: Date | null) {
  let standing = EMPTY_HANDS;
  if (before === null) return standing;
  for (let after = 0n; ;) {
    const part = await sumLedgerPart(queries, { storeId, after, before, limit: SUMMED_ENTRIES });
    if (!part) return standing;
    standing = {
      availableMicroUsd: standing.availableMicroUsd + part.availableMicroUsd,
      heldMicroUsd: standing.heldMicroUsd + part.heldMicroUsd,
    };
    after = part.last;
    yield { text: '', rows: 0 };
  }
}

async function* readStatement(context: BatchContext, store: ExportedStore, filter: ExportFilter) {
  const { database, pageRows } = context;
  const opened = openStatement(store.merchantId, yield* standingBefore(context, store.id, filter.fromAt));
  yield { text: opened.text, rows: 0 };
  let { statement } = opened;
  for (let after = 0n, isLast = false; !isLast;) {
    const page = await readLedgerPage(database.queries, { storeId: store.id, after, filter, limit: pageRows });
    const taken = page.filter(({ matches }) => matches);
    const written = writeEntries(statement, taken);
    ({ statement } = written);
    yield { text: written.text, rows: taken.length };
    after = page.at(-1)?.id ?? after;
    isLast = page.length < pageRows;
  }
  yield { text: closeStatement(statement), rows: 0 };
}

async function* readStatements(context: BatchContext, { scope, filter }: Asked) {
  yield { text: STATEMENT_HEADER, rows: 0 };
  for (const store of await listExportedStores(context.database.queries, scope.storeIds))
    yield* readStatement(context, store, filter);
}

async function* readAudit({ database: { queries }, networks, pageRows }: BatchContext, { scope, filter }: Asked) {
  yield { text: AUDIT_HEADER, rows: 0 };
  const merchantCode = await readMerchantCode(queries, scope.merchantAccountId);
  const stores = await listExportedStores(queries, scope.storeIds);
  const names = new Map(stores.map(({ id, merchantId }) => [`store:${id}`, merchantId]));
  if (scope.wholeMerchant) names.set(`merchant:${scope.merchantAccountId}`, merchantCode);
  for (const { network, address } of await listPlaces(queries, scope, MOST_PLACES)) {
    const known = networks.get(network);
    if (known && isExchange(known)) names.set(`exchange:${network}:${address}`, `exchange:${network}:${address}`);
  }
  const subjects = [...names.keys()];
  const limit = Math.min(pageRows, MOST_AUDIT_ENTRIES);
  let chain = BEFORE_FIRST_LINE;
  for (let after = 0n, isLast = false; !isLast;) {
    const page = await readAuditPage(queries, { scope, subjects, after, filter, limit });
    const taken = page.filter(({ matches }) => matches);
    const written = writeAuditEntries(chain, taken, names);
    ({ chain } = written);
    yield { text: written.text, rows: taken.length };
    after = page.at(-1)?.id ?? after;
    isLast = page.length < limit;
  }
  yield { text: closeAudit(chain, merchantCode), rows: 0 };
}

const READERS = { invoices: readInvoices, transfers: readTransfers, statement: readStatements, audit: readAudit };

export function readBatches(
  context: BatchContext,
  kind: ExportKind,
  asked: Asked,
): AsyncGenerator<Batch, void, undefined> {
  return READERS[kind](context, asked);
}
