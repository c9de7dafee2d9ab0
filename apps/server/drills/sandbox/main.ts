import { setTimeout as wait } from 'node:timers/promises';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { startWorker } from '../../rig/processes/server-process.ts';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import { seededNumbers } from '../../rig/fakes/seeded-numbers.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import { endClaims, untilDead } from '../../rig/processes/worker-fleet.ts';
import { readDrillArguments } from '../../rig/report/drill-arguments.ts';
import { percentile } from '../../rig/report/percentile.ts';
import type { DrilledSite } from '../../rig/sandbox/test-site.ts';
import { act, askSandbox, createTestInvoice, startTestSite } from '../../rig/sandbox/test-site.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import { findStrays } from './find-strays.ts';

/**
 * Drills the sandbox: two test stores ask for many faults, while the invoices of a third, calm store are paid normally.
 * The processes are real, and one process is killed during the drill. A stray is an effect on a store or invoice that
 * did not ask for it.
 */

const { quick, seed } = readDrillArguments();
console.log(`seed ${seed}`);
const LIVES = quick ? 90 : 500;
const AT_ONCE = 4;
const CALM_PART = 3;
const DEATH_TIMEOUT_MS = 60_000;
const COMPLETION_TIMEOUT_MS = 60_000;
const WARM_UP_LIVES = 4;
/** Calm invoices that are paid before the storms, and as many after them. */
const LIVES_ALONE = 10;
/** Most times longer that a calm payment may take beside storms; a worker dies meanwhile. */
const MAX_CALM_GROWTH = 12;

type Storm = (site: DrilledSite, store: TestStore, transId: string) => Promise<void>;

const fault = (site: DrilledSite, store: TestStore, one: string, seconds: number) =>
  askSandbox(site, store, '/sandbox/faults', { fault: one, seconds });

const STORMS: Record<string, Storm> = {
  short: (site, store, transId) => act(site, transId, 'pay', { payment: 'short' }, store),
  twice: (site, store, transId) => act(site, transId, 'pay', { payment: 'twice' }, store),
  late: (site, store, transId) => act(site, transId, 'pay', { payment: 'late' }, store),
  wrongToken: (site, store, transId) => act(site, transId, 'pay', { payment: 'wrong_token' }, store),
  slow: (site, store, transId) => act(site, transId, 'play', { scenario: 'slow' }, store),
  reorgBefore: (site, store, transId) => act(site, transId, 'play', { scenario: 'reorg_before' }, store),
  reorgAfter: async (site, store, transId) => {
    await act(site, transId, 'play', { scenario: 'reorg_after' }, store);
    await wait(2_500);
    await act(site, transId, 'reorg', { returns: true }, store);
  },
  expire: (site, store, transId) => act(site, transId, 'advance', {}, store),
  outage: async (site, store, transId) => {
    await fault(site, store, 'outage', 2);
    await act(site, transId, 'pay', {}, store);
    await act(site, transId, 'advance', { seconds: 3_600 }, store);
  },
  webhooks: async (site, store, transId) => {
    await fault(site, store, 'webhooks', 1);
    await act(site, transId, 'pay', {}, store);
  },
};

/** Plays the lives of invoices, only a few at the same time, so that a store stays within the API's rate limits. */
async function inRows<Life>(lives: readonly Life[], rows: number, live: (life: Life) => Promise<void>): Promise<void> {
  const left = [...lives];
  const row = async () => {
    for (let life = left.shift(); life !== undefined; life = left.shift()) await live(life);
  };
  await Promise.all(Array.from({ length: rows }, row));
}

async function liveCalmly(site: DrilledSite, store: TestStore, times: number[]): Promise<void> {
  const transId = await createTestInvoice(site, '25', store);
  await act(site, transId, 'pay', {}, store);
  const startedMs = performance.now();
  const isCompleted = async () => {
    const { rows } = await site.database.pool.query(
      `select from invoices where trans_id = $1 and status = 'completed'`,
      [transId],
    );
    return rows.length > 0;
  };
  await waitUntil(isCompleted, { what: `${transId} is not completed.`, timeoutMs: COMPLETION_TIMEOUT_MS, pollMs: 25 });
  times.push(performance.now() - startedMs);
}

type Figures = {
  lives: number;
  strays: number;
  storms: Record<string, number>;
  calm_p99_ms: number;
  /** The same before and after all storms. */
  alone_p99_ms: number;
  deaths: number;
};

const p99Of = (times: readonly number[]) => Math.round(percentile(times, 0.99, Number.POSITIVE_INFINITY));
const places = (count: number) => Array.from({ length: count }, (_unused, place) => place);

async function drill(): Promise<{ figures: Figures; reasons: string[] }> {
  return withDrillDatabase(async (own) => {
    const site = await startTestSite(own);
    const second = await startWorker(own.url, site.settings);
    try {
      const random = seededNumbers(seed);
      const stores = await Promise.all(
        [1, 2, 3].map(() => openStore(own.database, { test: true, ring: site.store.ring })),
      );
      const calm = stores[2] as TestStore;
      const storms: Record<string, number> = Object.fromEntries(Object.keys(STORMS).map((name) => [name, 0]));
      const times: number[] = [];
      const calmLives = Math.floor(LIVES / CALM_PART);
      const stormy = Array.from({ length: LIVES - calmLives }, (_unused, place) => ({
        store: stores[place % 2] as TestStore,
      }));
      const aloneTimes: number[] = [];
      await inRows(places(WARM_UP_LIVES), 2, () => liveCalmly(site, calm, []));
      const liveAlone = () => inRows(places(LIVES_ALONE), 2, () => liveCalmly(site, calm, aloneTimes));
      await liveAlone();
      const storming = inRows(stormy, AT_ONCE, async ({ store }) => {
        const names = Object.keys(STORMS);
        const name = names[Math.floor(random() * names.length)] ?? 'short';
        const transId = await createTestInvoice(site, '25', store);
        await STORMS[name]?.(site, store, transId);
        storms[name] = (storms[name] ?? 0) + 1;
      });
      const calmly = inRows(places(calmLives), 2, () => liveCalmly(site, calm, times));
      await wait(1_000);
      second.child.kill('SIGKILL');
      const deaths = (await untilDead(second, DEATH_TIMEOUT_MS)) ? 1 : 0;
      // The drill ends the dead worker's claims, which would run out only after half a minute: calm invoices would wait
      // for so long.
      await endClaims(own.database);
      await Promise.all([storming, calmly]);
      const strays = await findStrays(own.database, calm);
      await liveAlone();
      const ledger = await findLedgerFaults(own.database.queries, 10);
      const figures = {
        lives: stormy.length + times.length,
        strays: strays.length,
        storms,
        calm_p99_ms: p99Of(times),
        alone_p99_ms: p99Of(aloneTimes),
        deaths,
      };
      const unmet = Object.entries(storms).filter(([, count]) => count === 0);
      return {
        figures,
        reasons: [
          ...strays.map((stray) => `stray: ${stray}`),
          ...ledger.map((one) => `ledger: ${JSON.stringify(one)}`),
          ...unmet.map(([name]) => `${name} did not occur`),
          ...(deaths === 0 ? ['no worker died'] : []),
          ...(times.length < calmLives ? ['not every calm invoice was completed'] : []),
          ...(figures.calm_p99_ms > MAX_CALM_GROWTH * figures.alone_p99_ms
            ? [`calm invoices took ${figures.calm_p99_ms} ms, and ${figures.alone_p99_ms} ms without storms`]
            : []),
        ],
      };
    } finally {
      await second.stop();
      await site.close();
    }
  });
}

const { figures, reasons } = await drill();
for (const reason of reasons) console.log(`FAILED: ${reason}`);
if (reasons.length > 0) process.exitCode = 1;
console.log(JSON.stringify(figures));
