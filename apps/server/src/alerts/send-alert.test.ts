import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { HttpReceiver } from '../../rig/fakes/http-receiver.ts';
import { startHttpReceiver } from '../../rig/fakes/http-receiver.ts';
import { SILENT } from '../../rig/jobs/job-fixture.ts';
import type { MailFixture } from '../../rig/mail/mail-fixture.ts';
import { addressOf, openMailFixture, serverOf } from '../../rig/mail/mail-fixture.ts';
import { acknowledgeAlarm } from '../audit/acknowledge-alarm.ts';
import type { AlarmKind } from '../audit/alarm.ts';
import { raiseAlarms } from '../audit/raise-alarms.ts';
import { inTransaction } from '../db/transaction.ts';
import type { ManualClock } from '../lib/clock.ts';
import { createManualClock } from '../lib/clock.ts';
import type { Outbound } from '../lib/outbound-http.ts';
import { createOutbound } from '../lib/outbound-http.ts';
import { createTransport } from '../mail/create-transport.ts';
import { MAX_ATTEMPTS, nextAttemptAt } from './alert.ts';
import { claimAlert, lockAlerts } from './alert-sql.ts';
import { raiseAlerts } from './raise-alerts.ts';
import { alertId } from './alert-message.ts';
import type { AlertReceivers } from './send-alert.ts';
import { channelsOf, sendAlert } from './send-alert.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;
const MAX_ALERTS = 100;
/** Longer than an attempt may take: 45 s by email, 10 s by URL. */
const LONGEST_ATTEMPT_MS = MINUTE_MS;

let fixture: MailFixture;
let hook: HttpReceiver;
let outbound: Outbound;
let clock: ManualClock;
let headers: Record<string, unknown>[];
let status: number;
beforeAll(async () => {
  fixture = await openMailFixture(inject('template'));
});
afterAll(() => fixture.close());
beforeEach(async () => {
  for (const table of ['alarms', 'alerts', 'mails']) await fixture.database.pool.query(`delete from ${table}`);
  fixture.receiver.received.length = 0;
  fixture.receiver.setMood('take');
  clock = createManualClock(Date.UTC(2026, 10, 19, 10, 1));
  headers = [];
  status = 204;
  hook = await startHttpReceiver();
  hook.answer = (request, response) => {
    headers.push(request.headers);
    response.writeHead(status).end();
  };
  outbound = createOutbound({ allowPrivate: true });
});
afterEach(async () => {
  await outbound.close();
  await hook.close();
});

const byEmail = (): AlertReceivers => ({
  email: {
    to: addressOf('oncall@acme.example'),
    server: serverOf(fixture),
    transport: createTransport(serverOf(fixture), fixture.certificate.certificate),
  },
});
const byUrl = (): AlertReceivers => ({
  url: { url: `http://127.0.0.1:${hook.port}/alarms`, secret: SECRET, outbound },
});
const worker = () => fixture.as('worker');

const raise = (kind: AlarmKind, subject = 'x') =>
  inTransaction(worker(), (tx) => raiseAlarms(tx, new Date(clock.nowMs()), [{ kind, subject, details: {} }]));

async function acknowledgeAll(): Promise<void> {
  const { rows } = await fixture.database.pool.query<{ id: bigint }>(
    'select id from alarms where acknowledged_at is null order by id',
  );
  const context = { database: fixture.as('admin'), clock };
  for (const { id } of rows)
    await acknowledgeAlarm(context, { kind: 'operator', name: 'alice' }, { id, reason: 'done' });
}

const decide = (receivers: AlertReceivers) =>
  raiseAlerts({ database: worker(), clock, channels: channelsOf(receivers) });
const sendOne = (receivers: AlertReceivers) => sendAlert({ database: worker(), clock, receivers, log: SILENT });

/** Does what the loop of a worker does until nothing is due. */
async function work(receivers: AlertReceivers): Promise<void> {
  await decide(receivers);
  let isDue = true;
  for (let sent = 0; isDue && sent < MAX_ALERTS; sent += 1) isDue = await sendOne(receivers);
}

const posted = () => hook.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
const events = () => posted().map(({ event, kind, alarms }) => [event, kind, alarms]);
const byText = (one: unknown[], other: unknown[]) => (String(one) < String(other) ? -1 : 1);
const eventsOf = (kind: AlarmKind) => posted().flatMap((one) => (one['kind'] === kind ? [one['event']] : []));

async function stored(): Promise<unknown[]> {
  const { rows } = await fixture.database.pool.query('select kind, phase, state, attempts from alerts order by id');
  return rows;
}

describe('an alert', () => {
  test('is one for all alarms of its kind, and other kinds have their own', async () => {
    await raise('found-late', 'TID-1');
    await raise('found-late', 'TID-2');
    await raise('deep-reorg', 'chain:BSC');
    await work(byUrl());
    expect(events().toSorted(byText)).toEqual([
      ['alarm.raised', 'deep-reorg', 1],
      ['alarm.raised', 'found-late', 2],
    ]);
    expect(posted().find(({ kind }) => kind === 'found-late')).toMatchObject({ subjects: ['TID-2', 'TID-1'] });
  });

  test('is signed like a webhook', async () => {
    await raise('found-late');
    await work(byUrl());
    const [request] = hook.requests;
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers[0] ?? {};
    expect(id).toBe(`alarm_found-late_${Date.UTC(2026, 10, 19, 10) / 1_000}_raised`);
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const expected = createHmac('sha256', key)
      .update(`${String(id)}.${String(at)}.${request?.body}`)
      .digest('base64');
    expect(signature).toBe(`v1,${expected}`);
  });

  test('is an email to the operator beside the mails of merchants and users', async () => {
    await raise('clock-wrong', 'clock');
    await work(byEmail());
    const [mail, ...more] = fixture.receiver.received;
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ to: ['oncall@acme.example'], encrypted: true });
    expect(mail?.source).toMatch(/^Subject: Alarm: clock-wrong \(immediate\)\r$/m);
    expect(mail?.source).toContain('docs/alarms.md#clock-wrong');
    expect((await fixture.database.pool.query('select from mails')).rowCount).toBe(0);
    expect((await fixture.database.pool.query('select from pgboss.job')).rowCount).toBe(0);
  });

  test('goes to every channel that is configured, each on its own', async () => {
    fixture.receiver.setMood('greylist');
    await raise('found-late');
    await work({ ...byEmail(), ...byUrl() });
    expect(hook.requests).toHaveLength(1);
    fixture.receiver.setMood('take');
    clock.advance(MINUTE_MS);
    await work({ ...byEmail(), ...byUrl() });
    expect(fixture.receiver.received).toHaveLength(1);
    expect(hook.requests).toHaveLength(1);
  });

  test('comes once per hour: further alarms wait for the next hour and none is forgotten', async () => {
    await raise('found-late', 'TID-1');
    await work(byUrl());
    for (const subject of ['TID-2', 'TID-3']) {
      clock.advance(10 * MINUTE_MS);
      await raise('found-late', subject);
      await work(byUrl());
    }
    expect(events()).toEqual([['alarm.raised', 'found-late', 1]]);
    clock.advance(HOUR_MS);
    await work(byUrl());
    await work(byUrl());
    expect(events().slice(1)).toEqual([['alarm.raised', 'found-late', 2]]);
  });

  test('reports an alarm whose transaction commits after that of a later alarm', async () => {
    await inTransaction(worker(), async (slow) => {
      await raiseAlarms(slow, new Date(clock.nowMs()), [{ kind: 'found-late', subject: 'slow', details: {} }]);
      await raise('found-late', 'fast');
      await work(byUrl());
    });
    clock.advance(HOUR_MS);
    await work(byUrl());
    expect(posted().map(({ subjects }) => subjects)).toEqual([['fast'], ['slow']]);
  });

  test('is not sent for an alarm that was acknowledged before', async () => {
    await raise('found-late');
    await acknowledgeAll();
    await work(byUrl());
    expect(events()).toEqual([]);
  });
});

describe('several workers', () => {
  test('that decide and send at the same time send one alert of a kind', async () => {
    await raise('found-late');
    await Promise.all([1, 2, 3, 4].map(() => work(byUrl())));
    await work(byUrl());
    expect(events()).toEqual([['alarm.raised', 'found-late', 1]]);
  });

  test('decide one at a time: while another one decides, a worker stores nothing and does not fail', async () => {
    await raise('found-late');
    await inTransaction(fixture.as('worker'), async (tx) => {
      expect(await lockAlerts(tx)).toBe(true);
      await decide(byUrl());
      expect(await stored()).toEqual([]);
    });
    await decide(byUrl());
    expect(await stored()).toHaveLength(1);
  });

  test('cannot store a second alert of a kind, channel, phase and hour', async () => {
    await raise('found-late');
    await decide(byUrl());
    await fixture.database.pool.query('update alarms set alerted_at = null');
    await decide(byUrl());
    const insert = `insert into alerts (kind, channel, phase, hour, alarms, subjects, created_at, next_attempt_at)
      select kind, channel, phase, hour, alarms, subjects, created_at, next_attempt_at from alerts`;
    await expect(fixture.database.pool.query(insert)).rejects.toThrow('duplicate key');
    expect(await stored()).toHaveLength(1);
  });

  test('send again what a worker claimed and did not finish, under the same id', async () => {
    await raise('found-late');
    await decide(byUrl());
    const [now, until] = [new Date(clock.nowMs()), new Date(clock.nowMs() + 2 * MINUTE_MS)];
    const claimed = await claimAlert(worker().queries, ['url'], { now, until });
    expect(claimed).toMatchObject({ kind: 'found-late', attempts: 1 });
    await work(byUrl());
    expect(events()).toEqual([]);
    clock.advance(2 * MINUTE_MS);
    await work(byUrl());
    expect(posted()).toMatchObject([{ event_id: claimed && alertId(claimed) }]);
    expect(await stored()).toMatchObject([{ state: 'sent', attempts: 2 }]);
  });
});

describe('a worker', () => {
  test('leaves an alert of a kind that only a later version knows to workers of that version', async () => {
    await fixture.database.pool.query(
      `insert into alerts (kind, channel, phase, hour, alarms, subjects, created_at, next_attempt_at)
       values ('kind-of-later', 'url', 'raised', $1, 1, '{x}', $1, $1)`,
      [new Date(clock.nowMs())],
    );
    await raise('found-late');
    await work(byUrl());
    expect(events()).toEqual([['alarm.raised', 'found-late', 1]]);
    expect(await stored()).toMatchObject([
      { kind: 'kind-of-later', state: 'pending', attempts: 0 },
      { kind: 'found-late', state: 'sent' },
    ]);
  });

  test('retries an alert after its delay, also when the clock was a day ahead at the attempt that failed', async () => {
    status = 503;
    clock.advance(24 * HOUR_MS);
    await raise('clock-wrong', 'clock');
    await work(byUrl());
    status = 204;
    clock.advance(-24 * HOUR_MS);
    await work(byUrl());
    expect(await stored()).toMatchObject([{ kind: 'clock-wrong', state: 'sent', attempts: 2 }]);
  });

  test('leaves an alert to the worker that is sending it, for longer than an attempt may take', async () => {
    const taken: boolean[] = [];
    hook.answer = (_request, response) => {
      clock.advance(LONGEST_ATTEMPT_MS);
      void sendOne(byUrl()).then((isTaken) => {
        taken.push(isTaken);
        return response.writeHead(204).end();
      });
    };
    await raise('found-late');
    await work(byUrl());
    expect(taken).toEqual([false]);
    expect(hook.requests).toHaveLength(1);
  });

  test('reports an alarm also when the clock was a day ahead at the alert before', async () => {
    clock.advance(24 * HOUR_MS);
    await raise('found-late', 'TID-1');
    await work(byUrl());
    clock.advance(-24 * HOUR_MS);
    await raise('found-late', 'TID-2');
    await work(byUrl());
    expect(posted().map(({ subjects }) => subjects)).toEqual([['TID-1'], ['TID-2']]);
  });

  test('retries nothing before its delay has passed', async () => {
    status = 503;
    await raise('found-late');
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
      await work(byUrl());
      expect(hook.requests).toHaveLength(attempt);
      const due = nextAttemptAt(attempt, clock.nowMs());
      clock.advance((due?.getTime() ?? 0) - clock.nowMs() - 1);
      await work(byUrl());
      expect(hook.requests).toHaveLength(attempt);
      clock.advance(1);
    }
  });
});

describe('a channel that fails', () => {
  test('is tried again later, a bounded number of times, and then the alert has failed', async () => {
    status = 503;
    await raise('found-late');
    await decide(byUrl());
    for (let attempt = 0; attempt < MAX_ATTEMPTS + 3; attempt += 1) {
      await sendOne(byUrl());
      clock.advance(5 * HOUR_MS);
    }
    expect(hook.requests).toHaveLength(MAX_ATTEMPTS);
    expect(await stored()).toMatchObject([{ state: 'failed', attempts: MAX_ATTEMPTS }]);
  });

  test('is not tried again with an email that the mail server refuses for good', async () => {
    fixture.receiver.setMood('refuse');
    await raise('found-late');
    await work(byEmail());
    clock.advance(HOUR_MS);
    await work(byEmail());
    expect(await stored()).toMatchObject([{ state: 'failed', attempts: 1 }]);
  });
});

describe('a kind is over', () => {
  test('when every alarm of an event was acknowledged, and that is told once', async () => {
    await raise('found-late', 'TID-1');
    await raise('found-late', 'TID-2');
    await work(byUrl());
    await work(byUrl());
    expect(events()).toHaveLength(1);
    await acknowledgeAll();
    await work(byUrl());
    await work(byUrl());
    clock.advance(2 * HOUR_MS);
    await work(byUrl());
    expect(events().slice(1)).toEqual([['alarm.over', 'found-late', undefined]]);
  });

  test('for a state when its cause is gone and not when it was acknowledged', async () => {
    await raise('clock-wrong', 'clock');
    await work(byUrl());
    await acknowledgeAll();
    await work(byUrl());
    expect(events()).toHaveLength(1);
    await raise('clock-right', 'clock');
    await work(byUrl());
    expect(events().slice(1).toSorted(byText)).toEqual([
      ['alarm.over', 'clock-wrong', undefined],
      ['alarm.raised', 'clock-right', 1],
    ]);
  });

  test('for a state that is repeated when it is not raised again', async () => {
    await raise('exchange-account-silent', 'BINANCE 1');
    await work(byUrl());
    clock.advance(2 * HOUR_MS);
    await work(byUrl());
    clock.advance(MINUTE_MS);
    await work(byUrl());
    await work(byUrl());
    expect(events().map(([event]) => event)).toEqual(['alarm.raised', 'alarm.over']);
  });

  test('for a mail server when an email was sent since', async () => {
    await raise('mail-server-unusable', 'connection');
    await work(byUrl());
    await work(byUrl());
    expect(events()).toHaveLength(1);
    clock.advance(MINUTE_MS);
    await fixture.database.pool.query(
      `insert into mails (template, language, to_address, data, state, created_at, decided_at)
       values ('mail-test', 'en', 'a@b.example', '{}', 'sent', $1, $1)`,
      [new Date(clock.nowMs())],
    );
    await work(byUrl());
    expect(events().slice(1)).toEqual([['alarm.over', 'mail-server-unusable', undefined]]);
  });

  test.each(['exchange-account-stopped', 'exchange-key-refused'] as const)(
    'for %s when no exchange account has the fault',
    async (kind) => {
      await raise(kind, 'BINANCE 1');
      await work(byUrl());
      await work(byUrl());
      expect(events().map(([event]) => event)).toEqual(['alarm.raised', 'alarm.over']);
    },
  );

  test('and raised again in the same hour is reported in the next hour, also when it has ended meanwhile', async () => {
    await raise('clock-wrong', 'clock');
    await raise('clock-right', 'clock');
    await work(byUrl());
    await work(byUrl());
    clock.advance(MINUTE_MS);
    await raise('clock-wrong', 'clock');
    await raise('clock-right', 'clock');
    await work(byUrl());
    expect(eventsOf('clock-wrong')).toEqual(['alarm.raised', 'alarm.over']);
    clock.advance(HOUR_MS);
    await work(byUrl());
    await work(byUrl());
    expect(eventsOf('clock-wrong')).toEqual(['alarm.raised', 'alarm.over', 'alarm.raised', 'alarm.over']);
  });
});
