import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { buffersOf, openRecordingDatabase } from '../../rig/growth/recorded-plans.ts';
import { closeDatabase } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { createManualClock } from '../lib/clock.ts';
import type { AlarmKind } from '../audit/alarm.ts';
import { ALARM_KINDS } from '../audit/alarm.ts';
import { alarmCommands } from './alarm-commands.ts';
import { countUnacknowledged } from '../audit/alarm-sql.ts';
import { raiseAlarms } from '../audit/raise-alarms.ts';

const GUIDE = new URL('../../../../docs/alarms.md', import.meta.url);
const clock = createManualClock(Date.UTC(2026, 10, 15, 12));

describe('the guide to alarms', () => {
  const [, ...chapters] = readFileSync(GUIDE, 'utf8').split(/^## /m);
  const chapterOf = new Map(chapters.map((text) => [/^`([a-z-]+)`$/m.exec(text)?.[1] ?? '', text]));

  test('has one chapter for each kind, and none for a kind that is not there', () => {
    expect([...chapterOf.keys()].toSorted()).toEqual(ALARM_KINDS.toSorted());
    expect(chapters).toHaveLength(ALARM_KINDS.length);
  });

  test.each(ALARM_KINDS)('says of %s what happened, what is safe meanwhile and what to do', (kind) => {
    const marks = [...(chapterOf.get(kind) ?? '').matchAll(/\*\*([^*]+):\*\*\s+\S/g)].map((match) => match[1]);
    expect(marks).toEqual(['Happened', 'Still safe', 'Do']);
  });
});

describe('in the database', () => {
  let own: TestDatabase;
  beforeEach(async () => {
    own = await openTestDatabase(inject('template'));
  });
  afterEach(() => own.drop());

  const raise = (kind: AlarmKind, subject: string) =>
    inTransaction(own.database, (tx) =>
      raiseAlarms(tx, new Date(clock.nowMs()), [{ kind, subject, details: { some: 1 } }]),
    );

  async function run(command: string, values: Record<string, string> = {}, name = 'alice'): Promise<unknown> {
    const found = alarmCommands.find((one) => one.name === command);
    if (!found) throw new Error(`There is no ${command}.`);
    return found.run({ database: own.database, clock, actor: { kind: 'operator', name } }, values);
  }

  async function auditEntries(): Promise<unknown[]> {
    const { rows } = await own.database.pool.query('select actor, action, subject, details from audit_entries');
    return rows;
  }

  test('alarms are listed until they are acknowledged, the newest first, and with --all for ever', async () => {
    await raise('found-late', 'TID-1');
    await raise('clock-wrong', 'clock');
    const at = new Date(clock.nowMs());
    const open = { acknowledged_at: null, acknowledged_by: null };
    const first = { id: 1n, at, kind: 'found-late', subject: 'TID-1', details: { some: 1 }, ...open };
    const second = { id: 2n, at, kind: 'clock-wrong', subject: 'clock', details: { some: 1 }, ...open };
    expect(await run('alarm list')).toEqual([second, first]);
    clock.advance(1_000);
    expect(await run('alarm acknowledge', { id: '1', reason: 'the shop was told' })).toEqual({
      acknowledged: 1n,
      kind: 'found-late',
      subject: 'TID-1',
    });
    expect(await run('alarm list')).toEqual([second]);
    const acknowledged = { acknowledged_at: new Date(clock.nowMs()), acknowledged_by: 'cli:alice' };
    expect(await run('alarm list', { all: 'yes' })).toEqual([second, { ...first, ...acknowledged }]);
  });

  test('alarms that many others of another kind are newer than are listed by kind, and page by page', async () => {
    await raise('payment-reverted', 'TID-1');
    await own.database.pool.query(
      `insert into alarms (at, kind, subject, details) select now(), 'topup-failed', n::text, '{}' from generate_series(1, 250) n`,
    );
    const idsOf = async (values: Record<string, string> = {}) =>
      ((await run('alarm list', values)) as { id: bigint }[]).map(({ id }) => id);
    expect(await idsOf({ kind: 'payment-reverted' })).toEqual([1n]);
    const first = await idsOf();
    const second = await idsOf({ after: String(first.at(-1)) });
    expect([...first, ...second]).toEqual(Array.from({ length: 251 }, (_, place) => BigInt(251 - place)));
    expect(first).toHaveLength(200);
    await expect(run('alarm list', { kind: 'no-kind' })).rejects.toThrow('--kind: must be a kind of docs/alarms.md');
  });

  test('acknowledging is audited with who, what and why', async () => {
    await raise('found-late', 'TID-1');
    await run('alarm acknowledge', { id: '1', reason: ' the shop was told ' }, 'bob');
    expect(await auditEntries()).toEqual([
      {
        actor: 'cli:bob',
        action: 'alarm.acknowledge',
        subject: 'alarm:1',
        details: { kind: 'found-late', subject: 'TID-1', reason: 'the shop was told' },
      },
    ]);
  });

  test('an alarm is acknowledged once: a second try is refused with who did it and when, and leaves no audit entry', async () => {
    await raise('found-late', 'TID-1');
    const at = new Date(clock.nowMs()).toISOString();
    const tries = ['alice', 'bob', 'carol'].map((name) =>
      run('alarm acknowledge', { id: '1', reason: 'x' }, name).then(
        () => 'done',
        (cause: Error) => cause.message,
      ),
    );
    const outcomes = await Promise.all(tries);
    const [entry] = (await auditEntries()) as { actor: string }[];
    const refusal = `Alarm 1 was acknowledged by ${entry?.actor} at ${at}.`;
    expect(outcomes.toSorted()).toEqual([refusal, refusal, 'done']);
    expect(await auditEntries()).toHaveLength(1);
  });

  test.each([
    [{ id: '7', reason: 'x' }, 'There is no alarm 7.'],
    [{ id: 'seven', reason: 'x' }, '--id: must be a number'],
    [{ id: '9999999999999999999', reason: 'x' }, '--id: must be a number of an alarm'],
    [{ id: '7', reason: ' ' }, '--reason: '],
    [{ id: '7' }, '--reason: '],
  ])('what cannot be acknowledged is refused in words: %o', async (values, message) => {
    await expect(run('alarm acknowledge', values as Record<string, string>)).rejects.toThrow(message);
    expect(await auditEntries()).toEqual([]);
  });

  test('every kind is counted, those without an alarm as 0, and none that was acknowledged', async () => {
    await raise('found-late', 'TID-1');
    await raise('found-late', 'TID-2');
    await raise('deep-reorg', 'chain:BSC');
    await run('alarm acknowledge', { id: '3', reason: 'rescanned' });
    const counts = await countUnacknowledged(own.database.queries);
    expect(counts.map(({ kind }) => kind).toSorted()).toEqual(ALARM_KINDS.toSorted());
    expect(counts.filter(({ alarms }) => alarms > 0)).toEqual([{ kind: 'found-late', alarms: 2 }]);
  });

  test('counting touches as many pages after 50,000 alarms that were acknowledged as before them', async () => {
    const { database, take } = openRecordingDatabase(own.url, 1);
    const pages = async () => {
      // The first call of a connection also reads the server's catalog, so the second one is measured.
      for (const _time of [1, 2]) await countUnacknowledged(database.queries);
      const last = take().at(-1);
      if (!last) throw new Error('No plan was told.');
      return buffersOf(last.plan);
    };
    await raise('found-late', 'TID-1');
    const before = await pages();
    await own.database.pool.query(
      `insert into alarms (at, kind, subject, details, acknowledged_at, acknowledged_by)
       select now(), k.kind, 'past', '{}', now(), 'cli:alice'
       from generate_series(1, 50000 / cardinality($1::text[])), unnest($1::text[]) k (kind)`,
      [ALARM_KINDS],
    );
    await own.database.pool.query('analyze alarms');
    const after = await pages();
    await closeDatabase(database);
    expect(after).toBeLessThanOrEqual(before + 2);
  });
});
