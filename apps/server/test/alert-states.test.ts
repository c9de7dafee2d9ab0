import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../rig/database/test-database.ts';
import { openTestDatabase } from '../rig/database/test-database.ts';
import { raiseAlerts } from '../src/alerts/raise-alerts.ts';
import type { AlarmKind } from '../src/audit/alarm.ts';
import { raiseAlarms } from '../src/audit/raise-alarms.ts';
import { inTransaction } from '../src/db/transaction.ts';
import { wrong } from '../src/doctor/finding.ts';
import { raiseFindings } from '../src/doctor/raise-findings.ts';
import type { ManualClock } from '../src/lib/clock.ts';
import { createManualClock } from '../src/lib/clock.ts';

/** When an alarm whose cause lasts is reported as over: an operator must not be told so while it lasts. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let own: TestDatabase;
let clock: ManualClock;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
});
afterAll(() => own.drop());
beforeEach(async () => {
  for (const table of ['alarms', 'alerts', 'exchange_accounts']) await own.database.pool.query(`delete from ${table}`);
  clock = createManualClock(Date.UTC(2026, 10, 19, 10, 1));
});

const decide = () => raiseAlerts({ database: own.as('worker'), clock, channels: ['url'] });
const raise = (kind: AlarmKind) =>
  inTransaction(own.as('worker'), (tx) =>
    raiseAlarms(tx, new Date(clock.nowMs()), [{ kind, subject: 'x', details: {} }]),
  );

async function phases(): Promise<string[]> {
  const { rows } = await own.database.pool.query<{ phase: string }>('select phase from alerts order by id');
  return rows.map(({ phase }) => phase);
}

describe('a state that is raised again while its cause lasts', () => {
  test.each([
    ['doctor-found', 24],
    ['exchange-account-silent', 1],
    ['jobs-off', 24],
    ['password-spraying', 6],
    ['rate-unavailable', 1],
    ['slots-exhausted', 1],
  ] as const)('is not over between two alarms: %s, every %i hours', async (kind, hours) => {
    await raise(kind);
    for (let repetition = 0; repetition < 3; repetition += 1) {
      await decide();
      // Timers and loops are minutes late.
      clock.advance(hours * HOUR_MS + 15 * MINUTE_MS);
      await decide();
      await raise(kind);
    }
    expect(await phases()).toEqual(['raised', 'raised', 'raised']);
  });

  test('is not over while the doctor finds the same every hour, by a timer that is minutes early or late', async () => {
    const context = { database: own.as('admin'), clock };
    for (let hour = 0; hour < 60; hour += 1) {
      await decide();
      await raiseFindings(context, [wrong('disk', 'full', 'free space')]);
      clock.advance(HOUR_MS + (hour % 2 === 0 ? 10 : -10) * MINUTE_MS);
    }
    expect(await phases()).toEqual(['raised', 'raised', 'raised']);
    clock.advance(27 * HOUR_MS);
    await decide();
    expect((await phases()).at(-1)).toBe('over');
  });
});

/** Inserts an exchange account alone, without the merchant and the key that it belongs to. */
async function insertAccount(change: string): Promise<void> {
  const client = await own.database.pool.connect();
  await client.query('begin');
  await client.query('set local session_replication_role = replica');
  await client.query(
    `insert into exchange_accounts (network, account, merchant_account_id, secret_id, base_url, key_hint, bound_to_addresses,
       is_sub_account, added_at, checked_at, check_due_at) values ('BINANCE', '1', 1, 1, 'x', 'x', true, false, now(), now(), now())`,
  );
  await client.query(`update exchange_accounts set ${change}`);
  await client.query('commit');
  client.release();
}

describe('a state of exchange accounts', () => {
  test.each([
    ['exchange-account-stopped', "stopped_at = now(), stopped_by = 'x', stop_reason = 'x'"],
    ['exchange-key-refused', "fault = 'x', faulty_since = now()"],
  ] as const)('is over when the account was removed, and not before: %s', async (kind, change) => {
    await insertAccount(change);
    await raise(kind);
    await decide();
    clock.advance(48 * HOUR_MS);
    await decide();
    expect(await phases()).toEqual(['raised']);
    await own.database.pool.query('update exchange_accounts set removed_at = now()');
    await decide();
    expect(await phases()).toEqual(['raised', 'over']);
  });
});
