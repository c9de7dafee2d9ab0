import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { inTransaction } from '../db/transaction.ts';
import { createManualClock, systemClock } from '../lib/clock.ts';
import type { AuditEntry, AuditFact } from './audit.ts';
import { FIRST_HASH, hashOldEntry } from './audit.ts';
import { readAuditEntries } from './audit-sql.ts';
import { recordAudit } from './record-audit.ts';
import { verifyAudit } from './verify-audit.ts';

const CONNECTIONS = 6;
const PAGE = 1_000;

let own: TestDatabase;
beforeEach(async () => {
  own = await openTestDatabase(inject('template'), CONNECTIONS);
});
afterEach(() => own.drop());

const operator = (name: string) => ({ kind: 'operator', name }) as const;
const FACT = { action: 'store.create', subject: 'store:1', details: {} } as const;

function record(fact: Partial<AuditFact> = {}, name = 'alice'): Promise<AuditEntry> {
  return inTransaction(own.database, (tx) => recordAudit(tx, systemClock, operator(name), { ...FACT, ...fact }));
}

async function recordMany(count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) await record({ details: { number } });
}

/** Records entries as versions before the keyed chain wrote them: each with a plain hash over the previous entry. */
async function recordOld(count: number): Promise<void> {
  let previousHash: Buffer = FIRST_HASH;
  for (let number = 1; number <= count; number += 1) {
    const fact = { actor: 'cli:alice', action: 'store.create', subject: 'store:1', details: { number } };
    const entry = { ...fact, id: BigInt(number), at: new Date(systemClock.nowMs()) };
    const hash = hashOldEntry(entry, previousHash);
    await own.database.pool.query('insert into audit_entries values ($1, $2, $3, $4, $5, $6, $7, $8)', [
      entry.id,
      entry.at,
      entry.actor,
      entry.action,
      entry.subject,
      entry.details,
      previousHash,
      hash,
    ]);
    previousHash = hash;
  }
}

const verify = () => verifyAudit(own.database.queries);
const faultAt = (id: bigint) => ({ fault: `Entry ${id} was changed or added, or one before it was removed.` });

const readAll = () => readAuditEntries(own.database.queries, { above: 0n, upTo: 1_000_000n }, PAGE);

/** Tampers as a superuser could: triggers do not stop the owner of the database. */
async function tamper(statement: string): Promise<void> {
  await own.database.pool.query('alter table audit_entries disable trigger user');
  await own.database.pool.query(statement);
  await own.database.pool.query('alter table audit_entries enable trigger user');
}

describe('recording', () => {
  test('entries are numbered without a gap, and wait without a hash until they are chained', async () => {
    await recordMany(3);
    const entries = await readAll();
    expect(entries.map(({ id, hash }) => [id, hash])).toEqual([1n, 2n, 3n].map((id) => [id, null]));
    expect(await verify()).toEqual({ entries: 3, waiting: 3 });
  });

  test('the time of an entry is that of the injected clock', async () => {
    const clock = createManualClock(Date.UTC(2026, 10, 15, 12, 0, 0, 123));
    await inTransaction(own.database, (tx) => recordAudit(tx, clock, operator('alice'), FACT));
    const [entry] = await readAll();
    expect(entry?.at.toISOString()).toBe('2026-11-15T12:00:00.123Z');
  });

  test('entries that many connections write at once have numbers without a gap', async () => {
    await Promise.all(
      Array.from({ length: CONNECTIONS * 5 }, (_, number) => record({ details: { number } }, String(number))),
    );
    expect(await verify()).toEqual({ entries: CONNECTIONS * 5, waiting: CONNECTIONS * 5 });
  });

  test('an entry lives and dies with the transaction of its change', async () => {
    await record();
    const undone = inTransaction(own.database, async (tx) => {
      await recordAudit(tx, systemClock, operator('bob'), FACT);
      throw new Error('planted');
    });
    await expect(undone).rejects.toThrow('planted');
    await record();
    expect(await verify()).toEqual({ entries: 2, waiting: 2 });
  });
});

describe('append-only', () => {
  test.each([
    `update audit_entries set actor = 'cli:mallory' where id = 1`,
    'delete from audit_entries where id = 1',
    'truncate audit_entries cascade',
    `insert into audit_entries select * from audit_entries on conflict (id) do update set actor = 'cli:mallory'`,
  ])('the database refuses a change of an audit entry: %s', async (statement) => {
    await recordMany(2);
    await expect(own.database.pool.query(statement)).rejects.toThrow('audit_entries is append-only');
    expect(await verify()).toEqual({ entries: 2, waiting: 2 });
  });
});

describe('verifying what was written before the chain was keyed', () => {
  test('an empty audit log and one longer than a page verify', async () => {
    expect(await verify()).toEqual({ entries: 0, waiting: 0 });
    await recordOld(PAGE + 1);
    expect(await verify()).toEqual({ entries: PAGE + 1, waiting: 0 });
    await recordMany(2);
    expect(await verify()).toEqual({ entries: PAGE + 3, waiting: 2 });
  });

  test.each([
    ['actor', `update audit_entries set actor = 'cli:mallory' where id = 2`],
    ['action', `update audit_entries set action = 'nothing' where id = 2`],
    ['subject', `update audit_entries set subject = 'store:2' where id = 2`],
    ['time', `update audit_entries set at = at + interval '1 millisecond' where id = 2`],
    ['details', `update audit_entries set details = '{"number": 3}' where id = 2`],
    ['hash', `update audit_entries set hash = sha256('planted') where id = 2`],
  ])('an entry whose %s was changed is found', async (_field, statement) => {
    await recordOld(4);
    await tamper(statement);
    expect(await verify()).toMatchObject(faultAt(2n));
  });

  test.each([
    ['the first', 1n, 2n],
    ['one in the middle', 2n, 3n],
  ])('an entry that was removed is found at its successor: %s', async (_which, removed, brokenAt) => {
    await recordOld(4);
    await tamper(`delete from audit_entries where id = ${removed}`);
    expect(await verify()).toMatchObject(faultAt(brokenAt));
  });

  test('audit entries that changed places are found', async () => {
    await recordOld(4);
    await tamper(`
      update audit_entries set id = -id where id in (2, 3);
      update audit_entries set id = case id when -2 then 3 else 2 end where id < 0`);
    expect(await verify()).toMatchObject(faultAt(2n));
  });

  test('an entry that was slipped in is found, also one before the first', async () => {
    await recordOld(2);
    await own.database.pool.query(
      `insert into audit_entries select 0, at, actor, action, subject, details, previous_hash, hash
       from audit_entries where id = 1`,
    );
    expect(await verify()).toMatchObject(faultAt(0n));
  });

  test('an entry that was removed while it waited for its link leaves a gap, which is found', async () => {
    await recordMany(3);
    await tamper('delete from audit_entries where id = 2');
    expect(await verify()).toMatchObject({ fault: 'Entry 2 was removed before it was chained.' });
  });
});
