import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { MAX_SKEW_AT_START_MS } from '../../src/db/clock-skew.ts';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { createManualClock } from '../../src/lib/clock.ts';
import type { ExchangeFixture, OpenPayment } from '../../rig/exchanges/exchange-fixture.ts';
import { addAccount, openExchangeFixture, openPayment, payQuote } from '../../rig/exchanges/exchange-fixture.ts';
import type { LiveSite } from '../../rig/exchanges/live-site.ts';
import { openLiveSite } from '../../rig/exchanges/live-site.ts';
import { alarmsOf, eventsOf, lookUp, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, setPrices } from '../../rig/invoices/pay-invoice.ts';
import { selectMethod } from '../../rig/invoices/select-method.ts';
import { findFailpoints } from '../../rig/processes/find-failpoints.ts';
import { killWorkerAt } from '../../rig/processes/kill-worker-at.ts';
import type { WorkerProcess } from '../../rig/processes/server-process.ts';
import { startWorker } from '../../rig/processes/server-process.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';

/** Real workers follow a fake Binance, are killed at any point of their commits, and keep out of a ban. */

const WITHIN = { timeout: 60_000, interval: 20 };
const COMMITTED = 'statement:after-commit';
const HOUR_MS = 3_600_000;
const TEN_MINUTES_MS = 600_000;
const MINUTE_SECONDS = 60;
const BAN_SECONDS = 3_600;

let site: LiveSite;
const workers: WorkerProcess[] = [];
beforeAll(async () => {
  site = await openLiveSite(inject('template'), 'BINANCE');
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
});
afterAll(() => site.close());

async function start(settings: Record<string, string> = {}): Promise<WorkerProcess> {
  const worker = await startWorker(site.engine.url, { ...site.settings, ...settings });
  workers.push(worker);
  return worker;
}

/** Ends the claims of a dead worker, which would expire after a while. */
async function endClaims(): Promise<void> {
  await site.engine.database.pool.query(`update followed_accounts set next_read_at = now() where state <> 'idle'`);
}

async function expectPaidOnce({ engine, store }: ExchangeFixture, { transId }: OpenPayment, id: string) {
  await expect.poll(() => statusOf(engine, store, transId), WITHIN).toBe('completed');
  expect(await lookUp(engine, store, transId)).toMatchObject({ transaction_hash: id });
  expect(await eventsOf(engine, transId)).toMatchObject([{ event: 'invoice.completed' }]);
  expect(await transfersOf(engine, id)).toMatchObject([{ canonical: true, trans_id: transId }]);
  expect(await findLedgerFaults(engine.database.queries, 10)).toEqual([]);
}

describe('a worker that is killed', () => {
  test.each(findFailpoints(['statement']))('at %s loses no payment and completes none twice', async (failpoint) => {
    const fixture = await openExchangeFixture(site);
    const { engine, store } = fixture;
    const open = await openPayment(fixture);
    const id = payQuote(fixture, open);
    await endClaims();
    await killWorkerAt(engine.url, failpoint, site.settings);
    expect(await statusOf(engine, store, open.transId)).toBe(failpoint === COMMITTED ? 'completed' : 'waiting');
    await endClaims();
    await start();
    await expectPaidOnce(fixture, open, id);
  });
});

/** The engine as it was so long ago. */
const engineBefore = (ms: number) => ({ ...site.engine, clock: createManualClock(site.engine.clock.nowMs() - ms) });

/** Waits until a worker has done what every worker does: an invoice that was never selected and is over expires. */
async function untilExpired(store: TestStore): Promise<void> {
  const transId = await newInvoice(engineBefore(HOUR_MS), store);
  await expect.poll(() => statusOf(site.engine, store, transId), WITHIN).toBe('expired');
}

/** Runs `use` while pauses of platforms cannot be read. */
async function withPausesLocked<T>(use: () => Promise<T>): Promise<T> {
  const client = await site.engine.database.pool.connect();
  try {
    await client.query('begin; lock table platform_pauses');
    return await use();
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe('a worker', () => {
  test('without the key ring follows no exchange account; one with it completes payments', async () => {
    const fixture = await openExchangeFixture(site);
    const open = await openPayment(fixture);
    await endClaims();
    const id = payQuote(fixture, open);
    const before = site.fake.counts().requests;
    const keyless = await startWorker(site.engine.url, site.keyless);
    workers.push(keyless);
    for (let fences = 0; fences < 3; fences += 1) await untilExpired(fixture.store);
    expect(site.fake.counts().requests).toBe(before);
    expect(await statusOf(site.engine, fixture.store, open.transId)).toBe('waiting');
    await start();
    await expectPaidOnce(fixture, open, id);
    const next = await openPayment(fixture);
    await expectPaidOnce(fixture, next, payQuote(fixture, next));
  });

  test('that is banned says so in the database, and one that starts meanwhile asks nothing until the ban is over', async () => {
    const fixture = await openExchangeFixture(site);
    const { pool } = site.engine.database;
    const open = await openPayment(fixture);
    const id = payQuote(fixture, open);
    site.fake.misbehave({ kind: 'ban', retryAfterSeconds: BAN_SECONDS });
    await endClaims();
    const readTimes = async () =>
      (
        await pool.query<{ now: number; paused: number | null }>(
          `select extract(epoch from now())::float8 as now,
             (select extract(epoch from paused_until)::float8 from platform_pauses where base_url = $1) as paused`,
          [site.fake.url],
        )
      ).rows[0];
    const before = (await readTimes())?.now ?? Number.NaN;
    const first = await start();
    const isPaused = async () => ((await readTimes())?.paused ?? 0) > before + BAN_SECONDS - MINUTE_SECONDS;
    await expect.poll(isPaused, WITHIN).toBe(true);
    const { now = Number.NaN, paused } = (await readTimes()) ?? {};
    // The worker's clock may be this far from the database's.
    expect(paused).toBeLessThanOrEqual(now + BAN_SECONDS + MAX_SKEW_AT_START_MS / 1_000);
    await first.stop();
    // The platform would answer again, but is not asked: further requests lengthen a ban.
    site.fake.misbehave(null);
    const { requests } = site.fake.counts();
    const second = await withPausesLocked(async () => {
      const worker = await start();
      // It has not read the ban yet, and sends nothing before it does.
      for (let fences = 0; fences < 3; fences += 1) await untilExpired(fixture.store);
      return worker;
    });
    expect(site.fake.counts().requests).toBe(requests);
    await expect.poll(() => second.output(), WITHIN).toContain('is not asked now: it asked for a pause');
    expect(site.fake.counts().requests).toBe(requests);
    expect(await statusOf(site.engine, fixture.store, open.transId)).toBe('waiting');
    await second.stop();
    await pool.query('update platform_pauses set paused_until = now()');
    await endClaims();
    await start();
    await expectPaidOnce(fixture, open, id);
  });

  test('checks keys that are due: one whose rights were widened is not offered any more, and raises the alarm', async () => {
    const { engine, fake, network } = site;
    const addBefore = async (ms: number) => {
      const store = await openStore(engine.database, { wallet: false });
      const account = await addAccount({ engine: engineBefore(ms), fake, network }, store);
      account.grant('enableWithdrawals');
      return { store, subject: `${network} ${account.uid}` };
    };
    const due = await addBefore(6 * HOUR_MS + TEN_MINUTES_MS);
    const later = await addBefore(6 * HOUR_MS - TEN_MINUTES_MS);
    await start();
    await expect.poll(() => alarmsOf(engine, due.subject), WITHIN).toEqual(['exchange-key-refused']);
    expect(await alarmsOf(engine, later.subject)).toEqual([]);
    const select = async ({ store }: typeof due) => {
      await setPrices(engine);
      const transId = await newInvoice(engine, store);
      return selectMethod({ database: engine.as('api'), clock: engine.clock }, { transId, network, token: 'USDT' });
    };
    expect(workers[0]?.output()).not.toContain('could not be');
    await expect(select(due)).rejects.toThrow('network-unavailable');
    await expect(select(later)).resolves.toMatchObject({ network });
  });
});
