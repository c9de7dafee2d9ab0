import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/lib/clock.ts';
import type { ServerProcess } from '../../rig/processes/server-process.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { percentile } from '../../rig/report/percentile.ts';

/** Creates invoices for one store at an even pace, as a merchant's backend does, and says how long they took. */

const PER_SECOND = 50;
const P99 = 0.99;

let orders = 0;

async function createOne(api: ServerProcess, { apiKey, merchantId }: TestStore): Promise<number> {
  orders += 1;
  const startedAt = performance.now();
  const response = await fetch(`${api.url}/payment/crypto`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ merchant_id: merchantId, amount: '10.00', request_id: `bench-${orders}` }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`A create was answered ${response.status}: ${text}`);
  return performance.now() - startedAt;
}

/** The slowest hundredth of creates in milliseconds. */
export async function createP99Ms(api: ServerProcess, store: TestStore, seconds: number): Promise<number> {
  const startMs = systemClock.nowMs();
  const sent: Promise<number>[] = [];
  for (let number = 0; number < PER_SECOND * seconds; number += 1) {
    const aheadMs = startMs + (number * 1_000) / PER_SECOND - systemClock.nowMs();
    if (aheadMs > 0) await wait(aheadMs);
    sent.push(createOne(api, store));
  }
  return percentile(await Promise.all(sent), P99);
}
