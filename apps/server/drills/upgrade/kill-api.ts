import { setTimeout as wait } from 'node:timers/promises';
import type { Faults } from '../../rig/report/faults.ts';
import { countInFlight, sortFailures } from '../../rig/report/upgrade-judgement.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { Installation } from './installation.ts';
import type { Shop } from './merchant.ts';
import type { Site } from './site.ts';
import type { Trade } from './trade.ts';

/** Kills an API in the middle of requests, starts it again, and repeats every request that failed. */

export type Killing = { site: Site; shop: Shop; trade: Trade; installation: Installation; faults: Faults };
export type Killed = { inFlight: number; failed: number };

const POLL_MS = 20;
/** Time in which requests may fail after the kill, and a bit more, so that later failures are seen too. */
const AFTER_MS = 4_000;
const HTTP_OK = 200;

/** Locks the invoices against changes until a request of this process waits for them; then runs `act` and lets go. */
async function whileRequestsWait<T>({ site }: Killing, name: string, act: () => Promise<T>): Promise<T> {
  const holder = await site.database.pool.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table invoices in share mode');
    const isWaiting = async () => {
      const { rows } = await holder.query(
        `select from pg_stat_activity
         where application_name = $1 and wait_event_type = 'Lock' and datname = current_database()`,
        [name],
      );
      return rows.length > 0;
    };
    await waitUntil(isWaiting, { what: `${name} gets no request.`, pollMs: POLL_MS });
    return await act();
  } finally {
    await holder.query('rollback').finally(() => holder.release());
  }
}

async function countInvoices({ site, shop }: Killing, requestIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await site.database.pool.query<{ request: string; count: number }>(
    `select i.request_id as request, count(*)::int as count from invoices i join stores s on s.id = i.store_id
     where s.merchant_id = $1 and i.request_id = any($2) group by 1`,
    [shop.store.merchantId, requestIds],
  );
  return new Map(rows.map(({ request, count }) => [request, count]));
}

export async function killApi(killing: Killing, slot: 'api-1' | 'api-2', name: string): Promise<Killed> {
  const { installation, trade, faults } = killing;
  const version = installation.version(slot);
  const endCrowd = trade.crowd(name);
  const killedAtMs = await whileRequestsWait(killing, slot, () => installation.kill(slot));
  // A supervisor starts it again.
  await installation.start(slot, version);
  await wait(AFTER_MS);
  await endCrowd();
  const { atKills } = sortFailures(trade.sent(), [{ kind: 'kill', fromMs: killedAtMs, toMs: killedAtMs }]);
  for (const { method, requestId, ask } of atKills) {
    const { status, text } = await ask().catch(() => ({ status: 0, text: '' }));
    if (status !== HTTP_OK)
      faults.add(`${method} of ${requestId} was repeated after a kill, and answered ${status}: ${text}`);
  }
  const created = atKills.filter(({ creates }) => creates).map(({ requestId }) => requestId);
  const counts = await countInvoices(killing, created);
  for (const requestId of created)
    if (counts.get(requestId) !== 1) faults.add(`${requestId} has ${counts.get(requestId) ?? 0} invoices, not 1`);
  return { inFlight: countInFlight(atKills, killedAtMs), failed: atKills.length };
}
