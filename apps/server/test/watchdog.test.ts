import { once } from 'node:events';
import type { TestContext } from 'vitest';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { systemClock } from '../src/lib/clock.ts';
import { fetchJson } from '../src/lib/fetch-json.ts';
import type { Anvil } from '../rig/chains/evm/anvil.ts';
import { startAnvil } from '../rig/chains/evm/anvil.ts';
import { mine } from '../rig/chains/evm/reorg.ts';
import { installCanonicalTokens } from '../rig/chains/evm/token.ts';
import { NO_PRICES } from '../rig/fakes/price-servers.ts';
import { startTcpProxy } from '../rig/fakes/tcp-proxy.ts';
import type { TestDatabase } from '../rig/database/test-database.ts';
import type { WorkerProcess } from '../rig/processes/server-process.ts';
import { openStore } from '../rig/stores/open-store.ts';
import { openTestDatabase } from '../rig/database/test-database.ts';
import { startWorker } from '../rig/processes/server-process.ts';

/** A real worker whose question is never answered. */

const WITHIN = { timeout: 60_000, interval: 20 };
const STUCK_EXIT_CODE = 70;
const SETTINGS = { COUNTERFOIL_POLL_MS: '50', ...NO_PRICES };

let anvil: Anvil;
beforeAll(async () => {
  anvil = await startAnvil({ chainId: 56, timestamp: Math.floor(systemClock.nowMs() / 1000) - 600 });
  await installCanonicalTokens(anvil);
  await mine(anvil, 100, { secondsBetween: 1 });
});
afterAll(() => anvil.stop());

async function openDatabaseFor({ onTestFinished }: TestContext): Promise<TestDatabase> {
  const own = await openTestDatabase(inject('template'));
  onTestFinished(() => own.drop());
  return own;
}

async function startFor(
  { onTestFinished }: TestContext,
  url: string,
  settings: Record<string, string>,
): Promise<WorkerProcess> {
  const worker = await startWorker(url, { ...SETTINGS, ...settings });
  onTestFinished(async () => void (await worker.stop()));
  return worker;
}

const healthOf = async ({ operationsUrl }: WorkerProcess) => (await fetch(`${operationsUrl}/livez`)).status;

describe.concurrent('a worker whose question is never answered', () => {
  test('a loop that hangs for ever is not alive, and ends the process with a code of its own', async (context) => {
    const { expect } = context;
    const own = await openDatabaseFor(context);
    const worker = await startFor(context, own.url, {
      COUNTERFOIL_RPC_BSC: anvil.url,
      COUNTERFOIL_FAILPOINT: 'hang head:before-commit',
      COUNTERFOIL_WATCHDOG_SECONDS: '8',
    });
    const ended = once(worker.child, 'exit');
    const ask = () => fetchJson(`${worker.operationsUrl}/livez`, { timeoutMs: 60_000, maxBytes: 1_000 }).catch(String);
    await expect.poll(ask, WITHIN).toContain('503');
    expect(await ended).toEqual([STUCK_EXIT_CODE, null]);
    const findFatal = () => /^.*"level":60.*$/m.exec(worker.output())?.[0];
    await expect.poll(findFatal, WITHIN).toBeDefined();
    expect(JSON.parse(findFatal() ?? '{}')).toMatchObject({ loop: 'follow BSC', exitCode: STUCK_EXIT_CODE });
  });

  test('a connection to the database that dies in silence stops no loop, and nobody need end the process', async (context) => {
    const { expect, onTestFinished } = context;
    const own = await openDatabaseFor(context);
    const store = await openStore(own.database);
    const line = await startTcpProxy(Number(new URL(own.url).port));
    onTestFinished(() => line.stop());
    const worker = await startFor(context, line.through(own.url), {});
    const expired = async () => {
      const { rows } = await own.database.pool.query<{ status: string }>('select status from invoices order by id');
      return rows.map((row) => row.status);
    };
    const insertDue = (code: string) =>
      own.database.pool.query(
        `insert into invoices (store_id, trans_id, amount_usd, created_at, expires_at, fee_micro_usd)
       values ($1, $2, 50, now() - interval '2 hours', now() - interval '1 hour', 0)`,
        [store.id, code],
      );
    await insertDue('TID-AAAAAAAAAAAAAAAA');
    await expect.poll(expired, WITHIN).toEqual(['expired']);
    line.silence();
    await insertDue('TID-BBBBBBBBBBBBBBBB');
    await expect.poll(expired, WITHIN).toEqual(['expired', 'expired']);
    expect(await healthOf(worker)).toBe(200);
    await expect.poll(() => worker.output(), WITHIN).toContain('The database said nothing for 6000 ms');
    expect(worker.child.exitCode).toBeNull();
  });
});
