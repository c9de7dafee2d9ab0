import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../rig/database/test-database.ts';
import { openTestDatabase } from '../rig/database/test-database.ts';
import type { TcpProxy } from '../rig/fakes/tcp-proxy.ts';
import { startTcpProxy } from '../rig/fakes/tcp-proxy.ts';
import type { WorkerProcess } from '../rig/processes/server-process.ts';
import { startApi, startWorker } from '../rig/processes/server-process.ts';

const WITHIN = { interval: 100 };

let own: TestDatabase;
let proxy: TcpProxy;
let running: WorkerProcess | undefined;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  proxy = await startTcpProxy(Number(new URL(own.url).port));
});
afterEach(async () => {
  proxy.swallowNew(false);
  proxy.mend();
  await running?.stop();
  running = undefined;
});
afterAll(async () => {
  await proxy.stop();
  await own.drop();
});

const START = { api: startApi, worker: startWorker };

async function scrape(name: string): Promise<{ status: number; value: string | undefined }> {
  const response = await fetch(`${running?.operationsUrl}/metrics`);
  const line = (await response.text())
    .split('\n')
    .find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`));
  return { status: response.status, value: line?.split(' ').at(-1) };
}

const up = () => scrape('counterfoil_database_up');

/** Metrics that each process shows from its own memory. */
const OWN_METRICS = {
  api: ['counterfoil_build_info', 'counterfoil_http_connections'],
  worker: ['counterfoil_build_info'],
};

test.each(['api', 'worker'] as const)(
  'the metrics of the %s answer with what it knows while its database refuses connections or is silent',
  async (kind) => {
    running = await START[kind](proxy.through(own.url));
    expect(await up()).toEqual({ status: 200, value: '1' });

    proxy.cut();
    await expect.poll(up, WITHIN).toEqual({ status: 200, value: '0' });
    for (const name of OWN_METRICS[kind])
      expect(await scrape(name)).toEqual({ status: 200, value: expect.any(String) });
    expect((await scrape('counterfoil_alarms_unacknowledged')).value).toBeUndefined();

    proxy.mend();
    await expect.poll(up, WITHIN).toEqual({ status: 200, value: '1' });

    proxy.swallowNew(true);
    proxy.silence();
    await expect.poll(up, WITHIN).toEqual({ status: 200, value: '0' });
  },
);

test('a worker shows alarms again, and a webhook delay that it could not read is absent instead of 0', async () => {
  running = await startWorker(proxy.through(own.url));
  const read = () => scrape('counterfoil_webhook_oldest_due_seconds');
  expect(await read()).toEqual({ status: 200, value: '0' });
  proxy.cut();
  await expect.poll(read, WITHIN).toEqual({ status: 200, value: undefined });
  expect(Number((await scrape('counterfoil_metric_reads_failed_total')).value)).toBeGreaterThan(0);
  proxy.mend();
  await expect.poll(read, WITHIN).toEqual({ status: 200, value: '0' });
  expect((await scrape('counterfoil_alarms_unacknowledged')).value).toBe('0');
});
