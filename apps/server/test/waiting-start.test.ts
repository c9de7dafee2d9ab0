import type { Server } from 'node:net';
import { connect, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../rig/database/test-database.ts';
import { openTestDatabase } from '../rig/database/test-database.ts';
import { closeServer, listen, LOOPBACK } from '../rig/fakes/listen.ts';
import type { WorkerProcess } from '../rig/processes/server-process.ts';
import { startApi, startDashboard, startWorker } from '../rig/processes/server-process.ts';

const REFUSED = 2;

let own: TestDatabase;
let late: Server | undefined;
let running: WorkerProcess | undefined;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterEach(async () => {
  await running?.stop();
  if (late) await closeServer(late);
});
afterAll(() => own.drop());

/** The database behind a port that breaks its first connections, as a server that is still starting. */
async function openLateDatabase(): Promise<string> {
  const url = new URL(own.url);
  const port = Number(url.port);
  let connections = 0;
  late = createServer((near) => {
    near.on('error', () => {});
    connections += 1;
    if (connections <= REFUSED) return void near.destroy();
    const far = connect(port, LOOPBACK);
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    return void near.pipe(far).pipe(near);
  });
  url.port = String(await listen(late));
  return url.href;
}

test.each([
  ['an API', startApi],
  ['a worker', startWorker],
  [
    'a dashboard server',
    (url: string) => startDashboard(url, { COUNTERFOIL_KEY_RING_FILE: '/there-is-none/ring.json' }),
  ],
] as const)('%s that starts before its database waits for it, with one line', async (_process, start) => {
  running = await start(await openLateDatabase());
  expect(running.output().match(/waiting for the database/g)).toHaveLength(1);
});
