import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../rig/database/test-database.ts';
import { openTestDatabase } from '../rig/database/test-database.ts';
import type { HttpReceiver } from '../rig/fakes/http-receiver.ts';
import { startHttpReceiver } from '../rig/fakes/http-receiver.ts';
import { NO_PRICES } from '../rig/fakes/price-servers.ts';
import { startWorker } from '../rig/processes/server-process.ts';

/** A worker process with the settings of an operator who wants to be notified. */

let own: TestDatabase;
let receiver: HttpReceiver;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  receiver = await startHttpReceiver();
});
afterAll(async () => {
  await receiver.close();
  await own.drop();
});

const states = async () => (await own.database.pool.query('select kind, state from alerts')).rows;
const pathsCalled = () => receiver.requests.map(({ url }) => url);

test('a worker sends an alert about an alarm to the URL of the operator once, and calls the heartbeat URL', async () => {
  await own.database.pool.query(
    `insert into alarms (at, kind, subject, details) values (now(), 'found-late', 'TID-1', '{}')`,
  );
  const worker = await startWorker(own.url, {
    ...NO_PRICES,
    COUNTERFOIL_ALARM_URL: `http://127.0.0.1:${receiver.port}/alarms`,
    COUNTERFOIL_ALARM_SECRET: `whsec_${'A'.repeat(32)}`,
    COUNTERFOIL_HEARTBEAT_URL: `http://127.0.0.1:${receiver.port}/beat`,
  });
  await expect.poll(pathsCalled).toEqual(expect.arrayContaining(['/alarms', '/beat']));
  await expect.poll(states).toEqual([{ kind: 'found-late', state: 'sent' }]);
  await worker.stop();
  const alerts = receiver.requests
    .filter(({ url }) => url === '/alarms')
    .map(({ body }) => JSON.parse(body) as unknown);
  expect(alerts).toMatchObject([{ event: 'alarm.raised', kind: 'found-late', alarms: 1 }]);
});
