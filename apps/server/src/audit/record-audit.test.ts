import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../test/harness.ts';
import { openTestDatabase } from '../../test/harness.ts';
import { inTransaction } from '../db/transaction.ts';
import { createManualClock, systemClock } from '../lib/clock.ts';
import type { AuditFact } from './audit.ts';
import { FIRST_HASH } from './audit.ts';
import { readAuditEntries } from './audit-store.ts';
import { recordAudit } from './record-audit.ts';
import { verifyAudit } from './verify-audit.ts';

const CONNECTIONS = 6;
const ALL = 1_000;

let own: TestDatabase;
beforeEach(async () => {
  own = await openTestDatabase(inject('adminUrl'), inject('template'), CONNECTIONS);
});
afterEach(() => own.drop());

function record(fact: Partial<AuditFact> = {}): Promise<void> {
  const whole = { actor: 'cli:alice', action: 'store.create', subject: 'store:1', details: {}, ...fact };
  return inTransaction(own.database, (tx) => recordAudit(tx, systemClock, whole));
}

async function recordMany(count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) await record({ details: { number } });
}

/** As a superuser would: the triggers are no obstacle to somebody who owns the database. */
async function tamper(statement: string): Promise<void> {
  await own.database.pool.query('alter table audit_entries disable trigger user');
  await own.database.pool.query(statement);
  await own.database.pool.query('alter table audit_entries enable trigger user');
}

describe('recording', () => {
  test('each entry names the hash of the one before it, the first one a hash of zeros', async () => {
    await recordMany(3);
    const entries = await readAuditEntries(own.database.queries, 0n, ALL);
    expect(entries.map((entry) => entry.id)).toEqual([1n, 2n, 3n]);
    expect(entries.map((entry) => entry.previousHash)).toEqual([FIRST_HASH, entries[0]?.hash, entries[1]?.hash]);
    expect(await verifyAudit(own.database.queries)).toEqual({ entries: 3 });
  });

  test('the time of an entry is that of the injected clock', async () => {
    const clock = createManualClock(Date.UTC(2026, 10, 15, 12, 0, 0, 123));
    const fact = { actor: 'cli:alice', action: 'store.create', subject: 'store:1', details: {} };
    await inTransaction(own.database, (tx) => recordAudit(tx, clock, fact));
    const [entry] = await readAuditEntries(own.database.queries, 0n, ALL);
    expect(entry?.at.toISOString()).toBe('2026-11-15T12:00:00.123Z');
  });

  test('entries that many connections write at once stay one chain', async () => {
    await Promise.all(
      Array.from({ length: CONNECTIONS * 5 }, (_, number) => record({ actor: `cli:${number}`, details: { number } })),
    );
    expect(await verifyAudit(own.database.queries)).toEqual({ entries: CONNECTIONS * 5 });
  });

  test('an entry lives and dies with the transaction of its change', async () => {
    await record();
    const undone = inTransaction(own.database, async (tx) => {
      await recordAudit(tx, systemClock, { actor: 'cli:bob', action: 'undone', subject: 'store:1', details: {} });
      throw new Error('planted');
    });
    await expect(undone).rejects.toThrow('planted');
    await record();
    expect(await verifyAudit(own.database.queries)).toEqual({ entries: 2 });
  });

  test('whatever the details hold, the chain still verifies after they went through the database', async () => {
    await record({
      details: {
        zebra: 1,
        apple: { '10': 'b', '9': 'a', nested: [{ y: 1, x: [null, true, 0.5, 1e21, -0] }] },
        text: 'Größe "quoted" \\ \u2028 🦊',
        at: new Date('2026-11-15T12:00:00.123Z'),
        absent: undefined,
        '': 'empty name',
      },
    });
    expect(await verifyAudit(own.database.queries)).toEqual({ entries: 1 });
  });
});

describe('append-only', () => {
  test.each([
    `update audit_entries set actor = 'cli:mallory' where id = 1`,
    'delete from audit_entries where id = 1',
    'truncate audit_entries',
    `insert into audit_entries select * from audit_entries on conflict (id) do update set actor = 'cli:mallory'`,
  ])('the database refuses: %s', async (statement) => {
    await recordMany(2);
    await expect(own.database.pool.query(statement)).rejects.toThrow('audit_entries is append-only');
    expect(await verifyAudit(own.database.queries)).toEqual({ entries: 2 });
  });
});

describe('verifying', () => {
  test('an empty log and one longer than a page are whole', async () => {
    expect(await verifyAudit(own.database.queries)).toEqual({ entries: 0 });
    await inTransaction(own.database, async (tx) => {
      for (let number = 0; number < ALL + 1; number += 1) {
        await recordAudit(tx, systemClock, { actor: 'cli:a', action: 'b', subject: 'c', details: { number } });
      }
    });
    expect(await verifyAudit(own.database.queries)).toEqual({ entries: ALL + 1 });
  });

  test.each([
    ['actor', `update audit_entries set actor = 'cli:mallory' where id = 2`],
    ['action', `update audit_entries set action = 'nothing' where id = 2`],
    ['subject', `update audit_entries set subject = 'store:2' where id = 2`],
    ['time', `update audit_entries set at = at + interval '1 millisecond' where id = 2`],
    ['details', `update audit_entries set details = '{"number": 3}' where id = 2`],
    ['hash', `update audit_entries set hash = sha256('planted') where id = 2`],
  ])('an entry whose %s was changed is found', async (_field, statement) => {
    await recordMany(4);
    await tamper(statement);
    expect(await verifyAudit(own.database.queries)).toMatchObject({ brokenAt: 2n });
  });

  test.each([
    ['the first', 1n, 2n],
    ['one in the middle', 2n, 3n],
  ])('an entry that was removed is found at its successor: %s', async (_which, removed, brokenAt) => {
    await recordMany(4);
    await tamper(`delete from audit_entries where id = ${removed}`);
    expect(await verifyAudit(own.database.queries)).toMatchObject({ brokenAt });
  });

  test('entries that changed places are found', async () => {
    await recordMany(4);
    await tamper(`
      update audit_entries set id = -id where id in (2, 3);
      update audit_entries set id = case id when -2 then 3 else 2 end where id < 0`);
    expect(await verifyAudit(own.database.queries)).toMatchObject({ brokenAt: 2n });
  });

  test('an entry that was slipped in is found, also one before the first', async () => {
    await recordMany(2);
    await own.database.pool.query(
      `insert into audit_entries select 0, at, actor, action, subject, details, previous_hash, hash
       from audit_entries where id = 1`,
    );
    expect(await verifyAudit(own.database.queries)).toMatchObject({ brokenAt: 0n });
  });
});
