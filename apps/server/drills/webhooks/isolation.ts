import { createFleet } from '../../rig/processes/worker-fleet.ts';
import type { Cluster } from '../../rig/database/own-cluster.ts';
import { openStores, secretsOf, spreadEndpoints } from '../../rig/webhooks/write-events.ts';
import type { Latency } from '../../rig/webhooks/measure-latency.ts';
import { measureLatency } from '../../rig/webhooks/measure-latency.ts';
import { deadUrl } from '../../rig/fakes/listen.ts';
import { startReceivers } from '../../rig/webhooks/receivers.ts';

/**
 * Isolation part of the webhook drill: measures how much a dead and a hanging endpoint delay other endpoints, in real
 * time and with signatures verified as a merchant does.
 */

export type IsolationFigures = { calm: Latency; beside: Latency; signatureFailures: number };

const WORKERS = 2;
const STORES = 20;
const ENDPOINTS = 200;
const HOSTS = 8;
const PER_SECOND = 200;
const WARM_UP_SECONDS = 1;

export function drillIsolation(
  cluster: Cluster,
  seconds: number,
  tell: (fault: string) => void,
): Promise<IsolationFigures> {
  return cluster.use(async (own) => {
    const { url, database } = own;
    const receivers = await startReceivers(HOSTS);
    const stores = await openStores(database, STORES);
    const [{ ring }] = stores as [(typeof stores)[number]];
    const fleet = createFleet(url, await own.settings(ring));
    try {
      await receivers.expect('clock', secretsOf(stores));
      await Promise.all(Array.from({ length: WORKERS }, () => fleet.start()));
      const endpoints = spreadEndpoints(stores, receivers.urls, ENDPOINTS);
      const even = { database, receivers, perSecond: PER_SECOND, seconds };
      await measureLatency({ ...even, healthy: endpoints, bad: [], seconds: WARM_UP_SECONDS });
      const calm = await measureLatency({ ...even, healthy: endpoints, bad: [] });
      const [dead, hanging, ...healthy] = endpoints;
      if (!dead || !hanging) throw new Error('There are too few endpoints.');
      await receivers.setMoods({ [hanging.path]: 'hanging' });
      const bad = [{ ...dead, url: `${await deadUrl()}${dead.path}` }, hanging];
      const beside = await measureLatency({ ...even, healthy, bad });
      const { faults, receipts } = await receivers.report();
      if (faults.bodies > 0) tell(`${faults.bodies} bodies changed`);
      const repeated = receipts.filter((one) => one.succeeded > 1).length;
      if (repeated > 0) tell(`${repeated} events were delivered twice though nobody died`);
      return { calm, beside, signatureFailures: faults.signatures };
    } finally {
      await fleet.stop();
      await receivers.stop();
      for (const [text, times] of fleet.complaints()) console.log(`  workers logged ${times} times: ${text}`);
    }
  });
}
