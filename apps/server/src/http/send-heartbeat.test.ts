import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { cutOffDatabase } from '../../rig/database/cut-off-database.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { HttpReceiver } from '../../rig/fakes/http-receiver.ts';
import { startHttpReceiver } from '../../rig/fakes/http-receiver.ts';
import { SILENT } from '../../rig/jobs/job-fixture.ts';
import type { ManualClock } from '../lib/clock.ts';
import { createManualClock } from '../lib/clock.ts';
import type { Outbound } from '../lib/outbound-http.ts';
import { createOutbound } from '../lib/outbound-http.ts';
import type { Watchdog } from '../lib/watchdog.ts';
import { createWatchdog } from '../lib/watchdog.ts';
import { sendHeartbeat } from './send-heartbeat.ts';

const MINUTE_MS = 60_000;

let own: TestDatabase;
let receiver: HttpReceiver;
let outbound: Outbound;
let clock: ManualClock;
let watchdog: Watchdog;
let context: Parameters<typeof sendHeartbeat>[0];
let beat: () => Promise<void>;
beforeEach(async () => {
  own = await openTestDatabase(inject('template'));
  receiver = await startHttpReceiver();
  outbound = createOutbound({ allowPrivate: true });
  clock = createManualClock(1_000);
  watchdog = createWatchdog({ clock, maxSilenceMs: MINUTE_MS, onSilence: () => {} });
  context = {
    url: `http://127.0.0.1:${receiver.port}/ping/some-id?x=1`,
    clock,
    pool: own.as('worker').pool,
    outbound,
    hanging: watchdog.silent,
    log: SILENT,
    memory: { dueMs: 0 },
  };
  beat = () => sendHeartbeat(context);
});
afterEach(async () => {
  await outbound.close();
  await receiver.close();
  await own.drop();
});

const urls = () => receiver.requests.map(({ url }) => url);

function passTime(ms: number): void {
  for (let passed = 0; passed < ms; passed += watchdog.checkMs) {
    clock.advance(watchdog.checkMs);
    watchdog.check();
  }
}

test('a worker calls the heartbeat URL once a minute, by GET and as it is written', async () => {
  const methods: (string | undefined)[] = [];
  receiver.answer = (request, response) => {
    methods.push(request.method);
    response.end();
  };
  await beat();
  passTime(MINUTE_MS / 2);
  await beat();
  expect(urls()).toEqual(['/ping/some-id?x=1']);
  passTime(MINUTE_MS / 2);
  await beat();
  expect(urls()).toHaveLength(2);
  expect(methods).toEqual(['GET', 'GET']);
});

test('a heartbeat stays out while a loop hangs, and comes again when the loop turns', async () => {
  const answered = Promise.withResolvers<void>();
  const loop = watchdog.enlist('prices').run(() => answered.promise);
  await beat();
  expect(urls()).toHaveLength(1);
  for (let minute = 0; minute < 3; minute += 1) {
    passTime(MINUTE_MS);
    await beat();
  }
  expect(urls()).toHaveLength(1);
  answered.resolve();
  await loop;
  passTime(MINUTE_MS);
  await beat();
  expect(urls()).toHaveLength(2);
});

test('a heartbeat stays out while the database is away, and comes again when it is back', async () => {
  await beat();
  const letIn = await cutOffDatabase(inject('adminUrl'), own.url);
  passTime(MINUTE_MS);
  await expect(beat()).rejects.toThrow(/database|connect/i);
  passTime(MINUTE_MS);
  await expect(beat()).rejects.toThrow(/database|connect/i);
  expect(urls()).toHaveLength(1);
  await letIn();
  passTime(MINUTE_MS);
  await beat();
  expect(urls()).toHaveLength(2);
});

test('a heartbeat that was left out is made up within seconds', async () => {
  const answered = Promise.withResolvers<void>();
  const loop = watchdog.enlist('prices').run(() => answered.promise);
  passTime(MINUTE_MS / 2);
  await beat();
  answered.resolve();
  await loop;
  passTime(MINUTE_MS / 6 - 1_000);
  await beat();
  expect(urls()).toHaveLength(0);
  passTime(1_000);
  await beat();
  expect(urls()).toHaveLength(1);
  const letIn = await cutOffDatabase(inject('adminUrl'), own.url);
  passTime(MINUTE_MS);
  await expect(beat()).rejects.toThrow(/database|connect/i);
  await letIn();
  passTime(MINUTE_MS / 6);
  await beat();
  expect(urls()).toHaveLength(2);
  passTime(MINUTE_MS / 6);
  await beat();
  expect(urls()).toHaveLength(2);
});

test('a heartbeat stays out while no standby confirms the commits that one must confirm', async () => {
  const session = new EventEmitter();
  const query = async (text: string) => {
    if (text.startsWith('do ')) session.emit('notice', { severity: 'WARNING' });
  };
  const pool = { connect: async () => Object.assign(session, { query, release: () => {} }) };
  await sendHeartbeat({ ...context, pool: pool as unknown as pg.Pool });
  expect(urls()).toEqual([]);
});

test('a URL that refuses or closes the connection fails no loop, and is called again in the next minute', async () => {
  const answers = [500, 0, 204];
  receiver.answer = (request, response) => {
    const status = answers.shift();
    if (status) response.writeHead(status).end();
    else request.socket.destroy();
  };
  for (let minute = 0; minute < 3; minute += 1) {
    await beat();
    passTime(MINUTE_MS);
  }
  expect(urls()).toHaveLength(3);
});
