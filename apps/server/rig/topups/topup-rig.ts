import { pino } from 'pino';
import { createReadRate } from '../../src/rates/read-rate.ts';
import { createInsertInvoice } from '../../src/invoices/create-invoice.ts';
import { openTopupInvoices } from '../../src/invoices/open-topup-invoices.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Failpoint } from '../../src/lib/failpoint.ts';
import { setStorePurpose } from '../../src/stores/set-store-purpose.ts';
import { requestTopup } from '../../src/topups/request-topup.ts';
import type { EngineFixture } from '../invoices/engine-fixture.ts';
import { openPayableStore } from '../invoices/engine-fixture.ts';
import type { TestStore } from '../stores/open-store.ts';
import { TESTER } from '../stores/open-store.ts';

/** Top-ups by the product's verbs, each in the role of the process that calls it. */

const WORKER = { kind: 'worker', name: 'rig' } as const;
const log = pino({ level: 'silent' });

type Engine = Pick<EngineFixture, 'database' | 'as'> & { clock: Clock };

/** Opens the store of the operator where top-ups are paid. Its plan has a fee, which top-ups must not cost. */
export async function openTopupStore(engine: EngineFixture): Promise<TestStore> {
  const store = await openPayableStore(engine, { creditMicroUsd: 0n });
  const admin = { database: engine.as('admin'), clock: engine.clock };
  await setStorePurpose(admin, TESTER, { store: store.ref, purpose: 'topup' });
  return store;
}

export const MICRO_USD = 1_000_000n;
const RETURN_URL = 'https://dashboard.example/m/ACC-X/balance/MID-X';

/** Asks for a top-up, without an invoice yet; returns its code. */
export async function askForTopup(engine: Engine, store: TestStore, usd = 25n): Promise<string> {
  const asked = { store: store.ref, microUsd: usd * MICRO_USD, returnUrl: RETURN_URL };
  return requestTopup({ database: engine.database, clock: engine.clock }, TESTER, asked);
}

/** Lets a worker make the invoices of all top-ups that were asked for. */
export async function openTopups(engine: Engine, failpoint: Failpoint = () => {}): Promise<void> {
  const database = engine.as('worker');
  const readRate = createReadRate(database.queries, engine.clock);
  const insertInvoice = createInsertInvoice(database);
  const context = { database, clock: engine.clock, log, failpoint, insertInvoice, readRate };
  await openTopupInvoices(context, WORKER);
}

export type TopupRow = {
  transId: string | null;
  atStoreId: bigint | null;
  fault: string | null;
  credited: boolean;
};

export async function topupOf({ database }: Pick<Engine, 'database'>, code: string): Promise<TopupRow> {
  const { rows } = await database.pool.query<TopupRow>(
    `select trans_id as "transId", at_store_id as "atStoreId", fault, credited_at is not null as credited
     from topups where code = $1`,
    [code],
  );
  const [row] = rows;
  if (!row) throw new Error(`There is no top-up ${code}.`);
  return row;
}

/** Asks for a top-up and has its invoice made. */
export async function newTopup(
  engine: Engine,
  store: TestStore,
  usd?: bigint,
): Promise<{ code: string; transId: string }> {
  const code = await askForTopup(engine, store, usd);
  await openTopups(engine);
  const { transId } = await topupOf(engine, code);
  if (transId === null) throw new Error(`Top-up ${code} was not opened.`);
  return { code, transId };
}
