import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { HttpReceiver } from '../../rig/fakes/http-receiver.ts';
import { startHttpReceiver } from '../../rig/fakes/http-receiver.ts';
import { SILENT } from '../../rig/jobs/job-fixture.ts';
import type { MailFixture } from '../../rig/mail/mail-fixture.ts';
import { addressOf, openMailFixture, serverOf } from '../../rig/mail/mail-fixture.ts';
import type { AlarmKind } from '../audit/alarm.ts';
import type { ManualClock } from '../lib/clock.ts';
import { createManualClock } from '../lib/clock.ts';
import type { Outbound } from '../lib/outbound-http.ts';
import { createOutbound } from '../lib/outbound-http.ts';
import { createTransport } from '../mail/create-transport.ts';
import { MAX_ATTEMPTS } from './alert.ts';
import { claimAlert } from './alert-sql.ts';
import { raiseAlerts } from './raise-alerts.ts';
import type { AlertReceivers } from './send-alert.ts';
import { channelsOf, sendAlert } from './send-alert.ts';

/** Attempts of several workers, answers of receivers, and how long alerts are kept. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SECRET = `whsec_${'A'.repeat(32)}`;
const MOST_SENT = 10;

let fixture: MailFixture;
let hook: HttpReceiver;
let outbound: Outbound;
let clock: ManualClock;
beforeAll(async () => {
  fixture = await openMailFixture(inject('template'));
});
afterAll(() => fixture.close());
beforeEach(async () => {
  for (const table of ['alarms', 'alerts', 'mails']) await fixture.database.pool.query(`delete from ${table}`);
  clock = createManualClock(Date.UTC(2026, 10, 19, 10, 1));
  hook = await startHttpReceiver();
  outbound = createOutbound({ allowPrivate: true });
});
afterEach(async () => {
  await outbound.close();
  await hook.close();
});

const now = () => new Date(clock.nowMs());
const worker = () => fixture.as('worker');
const byUrl = (): AlertReceivers => ({
  url: { url: `http://127.0.0.1:${hook.port}/alarms`, secret: SECRET, outbound },
});
const byBoth = (): AlertReceivers => ({
  ...byUrl(),
  email: {
    to: addressOf('oncall@acme.example'),
    server: serverOf(fixture),
    transport: createTransport(serverOf(fixture), fixture.certificate.certificate),
  },
});

const raise = (kind: AlarmKind, count = 1) =>
  fixture.database.pool.query(
    `insert into alarms (at, kind, subject, details) select $1, $2, n::text, '{}' from generate_series(1, $3) n`,
    [now(), kind, count],
  );
const decide = (receivers: AlertReceivers) =>
  raiseAlerts({ database: worker(), clock, channels: channelsOf(receivers) });
const sendOne = (receivers: AlertReceivers) => sendAlert({ database: worker(), clock, receivers, log: SILENT });
const claim = () =>
  claimAlert(worker().queries, ['url'], { now: now(), until: new Date(clock.nowMs() + 2 * MINUTE_MS) });

async function work(receivers: AlertReceivers): Promise<void> {
  await decide(receivers);
  for (let sent = 0; sent < MOST_SENT && (await sendOne(receivers)); sent += 1);
}

async function stored(): Promise<unknown[]> {
  const { rows } = await fixture.database.pool.query(
    'select channel, phase, alarms, state, attempts, next_attempt_at as next, last_error as error from alerts order by id',
  );
  return rows;
}

describe('a receiver', () => {
  test.each([301, 304, 307, 400, 500])('that answers %i has not accepted the alert', async (status) => {
    hook.answer = (_request, response) => response.writeHead(status, { location: '/elsewhere' }).end();
    await raise('found-late');
    await work(byUrl());
    expect(hook.requests.map(({ url }) => url)).toEqual(['/alarms']);
    expect(await stored()).toMatchObject([{ state: 'pending', attempts: 1, error: `The URL answered ${status}.` }]);
  });

  test('that answers more than is read has accepted the alert', async () => {
    hook.answer = (_request, response) => response.writeHead(200).end('x'.repeat(1_000_000));
    await raise('found-late');
    await work(byUrl());
    expect(await stored()).toMatchObject([{ state: 'sent' }]);
  });

  test('that closes the connection has not accepted the alert', async () => {
    hook.answer = (request) => request.socket.destroy();
    await raise('found-late');
    await work(byUrl());
    expect(await stored()).toMatchObject([{ state: 'pending', attempts: 1 }]);
  });
});

describe('an attempt', () => {
  test('that fails after another worker has claimed the alert changes nothing', async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    hook.answer = (_request, response) => {
      asked.resolve();
      void answered.promise.then(() => response.writeHead(503).end());
    };
    await raise('found-late');
    await decide(byUrl());
    const slow = sendOne(byUrl());
    await asked.promise;
    clock.advance(2 * MINUTE_MS);
    const next = new Date(clock.nowMs() + 2 * MINUTE_MS);
    expect(await claim()).toMatchObject({ attempts: 2 });
    answered.resolve();
    await slow;
    expect(await stored()).toMatchObject([{ state: 'pending', attempts: 2, next, error: null }]);
  });

  test('is not made again when all attempts began and none of them ended', async () => {
    await raise('found-late');
    await decide(byUrl());
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      expect(await claim()).toMatchObject({ attempts: attempt });
      clock.advance(2 * MINUTE_MS);
    }
    await sendOne(byUrl());
    expect(hook.requests).toEqual([]);
    expect(await stored()).toMatchObject([{ state: 'failed', error: 'Its last attempt did not end.' }]);
  });
});

test('an alert counts 500 alarms at most, and the next hour has the rest', async () => {
  await raise('topup-failed', 501);
  await work(byUrl());
  clock.advance(HOUR_MS);
  await work(byUrl());
  expect(await stored()).toMatchObject([{ alarms: 500 }, { alarms: 1 }]);
});

test('a mail server is usable again when an alert arrived by email, and not when one arrived at the URL', async () => {
  await raise('mail-server-unusable');
  clock.advance(MINUTE_MS);
  await work(byUrl());
  await work(byUrl());
  expect(await stored()).toMatchObject([{ channel: 'url', phase: 'raised' }]);
  clock.advance(HOUR_MS);
  await raise('mail-server-unusable');
  clock.advance(MINUTE_MS);
  await work(byBoth());
  await work(byBoth());
  expect(await stored()).toMatchObject([
    { phase: 'raised' },
    { phase: 'raised' },
    { phase: 'raised' },
    { phase: 'over' },
    { phase: 'over' },
  ]);
});

test('alerts are deleted after 400 days, and not before', async () => {
  await raise('found-late');
  await work(byUrl());
  clock.advance(399 * DAY_MS);
  await work(byUrl());
  expect(await stored()).toHaveLength(1);
  clock.advance(2 * DAY_MS);
  await work(byUrl());
  expect(await stored()).toEqual([]);
});
