import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { backUpRing, onlyKey } from '../../rig/database/key-ring-fixture.ts';
import { buffersOf, openRecordingDatabase } from '../../rig/growth/recorded-plans.ts';
import type { AuditFact } from '../audit/audit.ts';
import { FIRST_HASH, hashOldEntry, linkEntries } from '../audit/audit.ts';
import { formatHead } from '../audit/audit-head.ts';
import { lockLinks, readHeadLink, readLinks } from '../audit/audit-link-sql.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { AuditVerdict } from '../audit/verify-audit.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { closeDatabase } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import { systemClock } from '../lib/clock.ts';
import { abandonRingKey } from './abandon-ring-key.ts';
import { addRingKey } from './add-ring-key.ts';
import { beginAuditChain } from './begin-audit-chain.ts';
import { chainAudit } from './chain-audit.ts';
import type { KeyRing } from './key-ring.ts';
import { createKeyRing, readKeyRing, writeKeyRing } from './key-ring.ts';
import { readChainKeys } from './read-chain-keys.ts';
import { registerKeyRing } from './register-key-ring.ts';
import { resealSecrets } from './reseal-secrets.ts';

const CONNECTIONS = 6;
const MANY = 450;
const MAX_TURNS = 1_000;
const WORKER = { kind: 'worker', name: 'test' } as const;
const ALICE = { kind: 'operator', name: 'alice' } as const;

let own: TestDatabase;
let ring: KeyRing;
beforeEach(async () => {
  own = await openTestDatabase(inject('template'), CONNECTIONS);
  ring = createKeyRing();
  await registerKeyRing(own.database.queries, ring);
});
afterEach(() => own.drop());

async function record(count: number, fact: Partial<AuditFact> = {}): Promise<void> {
  await inTransaction(own.database, async (tx) => {
    for (let number = 1; number <= count; number += 1) {
      const whole = { action: 'store.create', subject: 'store:1', details: { number }, ...fact } as const;
      await recordAudit(tx, systemClock, ALICE, whole);
    }
  });
}

/** Records entries, each in its own transaction. */
async function recordEach(count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1) await record(1);
}

const holding = (held: KeyRing) => ({ database: own.database, clock: systemClock, ring: held });

async function chain(held = ring): Promise<void> {
  for (let turns = 0; await chainAudit(holding(held), WORKER); turns += 1)
    if (turns === MAX_TURNS) throw new Error('The chain does not come to an end.');
}

async function verify(held = ring): Promise<AuditVerdict> {
  const keys = await readChainKeys(own.database.queries, () => Promise.resolve(held));
  return verifyAudit(own.database.queries, { keys });
}

/** Rotates the key ring and returns it without the old key. */
async function rotate(): Promise<KeyRing> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-ring-'));
  const path = join(folder, 'ring.json');
  await writeKeyRing(path, ring);
  const context = { database: own.database, clock: systemClock, keyRingFile: path };
  await addRingKey(context, ALICE);
  const { after } = await resealSecrets(context, ALICE, { copyDigest: await backUpRing(path) });
  const rotated = onlyKey(await readKeyRing(path), after);
  await rm(folder, { recursive: true });
  return rotated;
}

const ALL = 10_000;
const readAllLinks = () => readLinks(own.database.queries, 0n, ALL);

const switchTriggers = (how: 'disable' | 'enable') =>
  own.database.pool.query(`alter table audit_entries ${how} trigger all; alter table audit_links ${how} trigger all`);

/** Changes audit entries as a person could who owns the database and has no key ring. */
async function tamper(...statements: string[]): Promise<void> {
  await switchTriggers('disable');
  for (const statement of statements) await own.database.pool.query(statement);
  await switchTriggers('enable');
}

/** Recomputes the chain as a person could who knows the algorithm and must guess the key. */
async function rehash(fromPosition: bigint): Promise<void> {
  const links = await readAllLinks();
  const before = links.find(({ link }) => link.position === fromPosition - 1n)?.link;
  if (!before) throw new Error('There is no link before it.');
  const entries = links.flatMap(({ link, entry }) => (link.position >= fromPosition && entry ? [entry] : []));
  const forged = linkEntries(Buffer.alloc(32), before, entries);
  await tamper(
    ...forged.map(
      ({ position, previousHash, hash }) =>
        `update audit_links set previous_hash = '\\x${previousHash.toString('hex')}', hash = '\\x${hash.toString('hex')}'
         where position = ${position}`,
    ),
  );
}

describe('the keyed chain', () => {
  test('the audit chain begins with an entry that says why; every link names the secret that keyed it', async () => {
    await record(3);
    await chain();
    const links = await readAllLinks();
    expect(links.map(({ link }) => link.entryId)).toEqual([4n, 1n, 2n, 3n]);
    expect(links[0]?.entry).toMatchObject({
      actor: 'worker:test',
      action: 'audit.begin',
      details: { before: null, reason: 'Entries are chained by a sealed secret from here on.' },
    });
    const { rows } = await own.database.pool.query(`select id from secrets where purpose = 'audit_chain'`);
    expect(new Set(links.map(({ link }) => link.secretId))).toEqual(new Set(rows.map(({ id }) => id as bigint)));
    expect(links.map(({ link }) => link.previousHash)).toEqual([
      FIRST_HASH,
      ...links.slice(0, -1).map(({ link }) => link.hash),
    ]);
    expect(await verify()).toMatchObject({ entries: 4, waiting: 0 });
  });

  test('the audit chain begins, in a database with plain hashes, with an entry that names the head of those', async () => {
    const entry = { id: 1n, at: new Date(systemClock.nowMs()), actor: 'cli:a', action: 'b', subject: 'c', details: {} };
    const hash = hashOldEntry(entry, FIRST_HASH);
    await own.database.pool.query('insert into audit_entries values (1, $1, $2, $3, $4, $5, $6, $7)', [
      entry.at,
      entry.actor,
      entry.action,
      entry.subject,
      entry.details,
      FIRST_HASH,
      hash,
    ]);
    await record(2);
    await chain();
    const [first] = await readAllLinks();
    expect(first?.entry?.details['before']).toEqual({ entry: '1', digest: hash.toString('hex') });
    expect(await verify()).toMatchObject({ entries: 4, waiting: 0 });
    const forged = hashOldEntry({ ...entry, actor: 'cli:mallory' }, FIRST_HASH).toString('hex');
    await tamper(`update audit_entries set actor = 'cli:mallory', hash = '\\x${forged}' where id = 1`);
    expect((await verify()).fault).toMatch(/^Entry 4 begins a chain after another head than the one that is there/);
  });

  test('an entry of a process of the version before, with a plain hash, is chained like any other', async () => {
    await record(1);
    await chain();
    await own.database.pool.query(
      `insert into audit_entries values (3, now(), 'cli:a', 'b', 'c', '{}', '\\x00', sha256('old'))`,
    );
    await chain();
    expect(await verify()).toMatchObject({ entries: 3, waiting: 0 });
  });

  test('a chained entry verifies, whatever its details are', async () => {
    await record(1, {
      details: {
        zebra: 1,
        apple: { '10': 'b', '9': 'a', nested: [{ y: 1, x: [null, true, 0.5, 1e21, -0] }] },
        text: 'Größe "quoted" \\ \u2028 🦊',
        at: new Date('2026-11-15T12:00:00.123Z'),
        absent: undefined,
        '': 'empty name',
      },
    });
    await chain();
    expect(await verify()).toMatchObject({ entries: 2, waiting: 0 });
  });

  test('the audit chain goes on with the same secret after the ring was rotated, and the old key is not needed', async () => {
    await record(2);
    await chain();
    const slim = await rotate();
    await record(2);
    await chain(slim);
    // The seven entries are four recorded ones, the beginning of the chain, the added key and the rotation itself.
    expect(await verify(slim)).toMatchObject({ entries: 7, waiting: 0 });
    expect(new Set((await readAllLinks()).map(({ link }) => link.secretId)).size).toBe(1);
  });
});

describe('whoever owns the database and has no key ring', () => {
  test.each([
    ['actor', `update audit_entries set actor = 'cli:mallory' where id = 2`],
    ['action', `update audit_entries set action = 'nothing' where id = 2`],
    ['subject', `update audit_entries set subject = 'store:2' where id = 2`],
    ['time', `update audit_entries set at = at + interval '1 millisecond' where id = 2`],
    ['details', `update audit_entries set details = '{"number": 3}' where id = 2`],
    ['hash', `update audit_links set hash = sha256('planted') where entry_id = 2`],
  ])('the owner of the database cannot change an entry unseen: %s', async (_field, statement) => {
    await record(4);
    await chain();
    await tamper(statement);
    expect(await verify()).toMatchObject({
      fault: 'Entry 2 was changed, or was added without the secret.',
    });
  });

  test('the owner of the database cannot hash a changed entry and all after it anew', async () => {
    await record(4);
    await chain();
    await tamper(`update audit_entries set actor = 'cli:mallory' where id = 2`);
    await rehash(3n);
    expect(await verify()).toMatchObject({
      fault: 'Entry 2 was changed, or was added without the secret.',
    });
  });

  test.each([
    ['an entry', 'delete from audit_entries where id = 2', 'Entry 2 was removed.'],
    ['a link', 'delete from audit_links where entry_id = 2', 'Link 3 of the chain was removed.'],
    [
      'an entry and its link, closing the gap',
      `delete from audit_links where entry_id = 2; delete from audit_entries where id = 2;
       update audit_links set position = position - 1 where position > 3`,
      'Entry 3 does not follow from the one before it: one was changed, removed or added.',
    ],
    ['the beginning', 'delete from audit_links where position = 1', 'Link 1 of the chain was removed.'],
  ])('the owner of the database cannot remove unseen: %s', async (_what, statements, fault) => {
    await record(4);
    await chain();
    await tamper(...statements.split(';'));
    expect(await verify()).toMatchObject({ fault });
  });

  test('the owner of the database cannot slip an entry in, chained or not', async () => {
    await record(2);
    await chain();
    await tamper(
      `insert into audit_entries select 0, at, actor, action, subject, details from audit_entries where id = 1`,
    );
    expect((await verify()).fault).toMatch(/^Entry 0 was changed or added/);
    await tamper(
      'delete from audit_entries where id = 0',
      `insert into audit_entries select 9, at, actor, action, subject, details from audit_entries where id = 1`,
      `insert into audit_links select position + 1, 9, secret_id, 9, hash, sha256('planted') from audit_links order by position desc limit 1`,
    );
    expect(await verify()).toMatchObject({ fault: 'Entry 4 should come next in the chain, and entry 9 does.' });
  });

  test('the owner of the database cannot begin a chain: what seals is not in the database', async () => {
    await record(2);
    await chain();
    await tamper(
      `insert into audit_entries select 4, at, actor, 'audit.begin', subject, details from audit_entries where id = 3`,
      `insert into audit_links select 4, 4, secret_id, chained_until, '\\x${FIRST_HASH.toString('hex')}', sha256('planted')
       from audit_links where position = 3`,
    );
    expect((await verify()).fault).toMatch(/^Entry 4 begins a chain after another head/);
  });
});

const stranger = createKeyRing();

/** Loses the ring file: its key is abandoned, and another ring takes its place. */
async function loseRing(): Promise<void> {
  const [key = ''] = ring.keys.keys();
  const keyRingFile = join(tmpdir(), `counterfoil-lost-${key}.json`);
  const context = { database: own.database, clock: systemClock, keyRingFile };
  await abandonRingKey(context, ALICE, { key, reason: 'the ring burnt' });
  await registerKeyRing(own.database.queries, stranger);
}

describe('the links are append-only', () => {
  test.each([
    `update audit_links set hash = sha256('planted') where position = 1`,
    'delete from audit_links where position = 2',
    'truncate audit_links',
  ])('the database refuses a change of a link: %s', async (statement) => {
    await record(1);
    await chain();
    await expect(own.database.pool.query(statement)).rejects.toThrow('audit_links is append-only');
    expect(await verify()).toMatchObject({ entries: 2, waiting: 0 });
  });
});

describe('a lost secret', () => {
  test('a lost secret leaves entries waiting until an operator says so: then a new chain begins with the reason given', async () => {
    await record(2);
    await chain();
    const lost = await readHeadLink(own.database.queries);
    await loseRing();
    await record(1);
    await expect(chain(stranger)).rejects.toMatchObject({ code: 'SECRET_ABANDONED' });
    expect(await verify(stranger)).toMatchObject({ fault: 'The secret that keyed entry 3 cannot be opened.' });
    const beginning = { reason: 'the ring burnt', secretLost: true };
    await expect(beginAuditChain(holding(stranger), ALICE, { ...beginning, secretLost: false })).rejects.toMatchObject({
      code: 'AUDIT_SECRET_LOST',
    });
    await beginAuditChain(holding(stranger), ALICE, beginning);
    await chain(stranger);
    const begun = (await readAllLinks()).find(({ link }) => link.position === 4n);
    expect(begun?.entry).toMatchObject({
      actor: 'cli:alice',
      details: {
        reason: 'the ring burnt',
        secretLost: true,
        before: { link: '3', digest: lost?.hash.toString('hex') },
      },
    });
    // The six entries are three recorded ones, the beginnings of both chains, and the one that abandoned the key.
    expect(await verify(stranger)).toMatchObject({ entries: 6, waiting: 0 });
  });

  test('what came before a chain that replaces a lost one cannot lose its newest entries unseen', async () => {
    await record(3);
    await chain();
    await loseRing();
    await beginAuditChain(holding(stranger), ALICE, { reason: 'lost', secretLost: true });
    await tamper(
      'delete from audit_links where position = 4',
      'delete from audit_entries where id = 3',
      'update audit_links set position = 4, chained_until = 2 where position = 5',
    );
    expect((await verify(stranger)).fault).toMatch(/begins a chain after another head than the one that is there/);
  });

  test('a secret that still opens is not called lost when a person begins a new chain', async () => {
    await record(1);
    await chain();
    const beginning = { reason: 'somebody has seen it', secretLost: true };
    const begun = await beginAuditChain(holding(ring), ALICE, beginning);
    await record(1);
    await chain();
    expect(await verify()).toMatchObject({ entries: 4, waiting: 0 });
    expect(begun.secretId).not.toBe((await readAllLinks())[0]?.link.secretId);
    await tamper(`update secrets set sealed = '\\x00' where id = (select min(secret_id) from audit_links)`);
    expect(await verify()).toMatchObject({ fault: 'The secret that keyed entry 2 cannot be opened.' });
  });
});

describe('links that are gone', () => {
  test('links that are gone are not replaced by a worker, as if nothing had been chained yet: a person must say what happened', async () => {
    await record(2);
    await chain();
    await tamper('delete from audit_links', `update audit_entries set actor = 'cli:mallory' where id = 1`);
    await expect(chain()).rejects.toMatchObject({ code: 'AUDIT_LINKS_GONE' });
    expect(await verify()).toMatchObject({ fault: 'Entry 3 began a chain whose links are gone.' });
    const beginning = { reason: 'restored without links', secretLost: false };
    await beginAuditChain(holding(ring), ALICE, beginning);
    await chain();
    expect(await verify()).toMatchObject({ entries: 4, waiting: 0 });
  });
});

describe('entries that wait', () => {
  test('entries that wait are chained in the order of their numbers, in batches', async () => {
    await record(MANY);
    expect(await verify()).toEqual({ entries: MANY, waiting: MANY });
    expect(await chainAudit(holding(ring), WORKER)).toBe(true);
    expect(await verify()).toMatchObject({ entries: MANY + 1, waiting: MANY - 200 });
    await chain();
    const links = await readAllLinks();
    const numbers = Array.from({ length: MANY }, (_, place) => BigInt(place + 1));
    expect(links.slice(1).map(({ link }) => link.entryId)).toEqual(numbers);
    expect(await verify()).toEqual({
      entries: MANY + 1,
      waiting: 0,
      head: formatHead((await readHeadLink(own.database.queries)) ?? { position: 0n, hash: FIRST_HASH }),
    });
  });

  test('entries are chained without waiting for whoever makes partitions meanwhile', async () => {
    await record(1);
    const maker = await own.database.pool.connect();
    await maker.query('begin');
    await maker.query('select make_partitions(current_date)');
    await chain();
    await maker.query('rollback');
    maker.release();
    expect(await verify()).toMatchObject({ entries: 2, waiting: 0 });
  });

  test('entries are each chained once, by workers that run at once while more are written', async () => {
    const stop = new AbortController();
    const worker = async () => {
      while (!stop.signal.aborted) await chainAudit(holding(ring), WORKER);
    };
    const workers = [worker(), worker(), worker()];
    await Promise.all([recordEach(20), recordEach(20), recordEach(20)]);
    stop.abort();
    await Promise.all(workers);
    await chain();
    const numbers = (await readAllLinks()).map(({ link }) => link.entryId);
    expect(numbers.toSorted((left, right) => Number(left - right))).toEqual(
      Array.from({ length: 61 }, (_, place) => BigInt(place + 1)),
    );
    expect(await verify()).toMatchObject({ entries: 61, waiting: 0 });
  });

  test('entries are chained by one worker at a time: others leave them to it', async () => {
    await record(1);
    await inTransaction(own.database, async (tx) => {
      await lockLinks(tx);
      expect(await chainAudit(holding(ring), WORKER)).toBe(false);
    });
    expect(await verify()).toEqual({ entries: 1, waiting: 1 });
  });

  test('without a waiting entry no chain begins', async () => {
    expect(await chainAudit(holding(ring), WORKER)).toBe(false);
    expect(await verify()).toEqual({ entries: 0, waiting: 0 });
  });

  test('entries cost as much to chain after thousands as after a few', async () => {
    const { database, take } = openRecordingDatabase(own.url, 1);
    const most = async () => {
      // The first call of a connection also reads the server's catalog, so the second one is measured.
      for (const _time of [1, 2]) {
        await record(1);
        take();
        await chainAudit({ ...holding(ring), database }, WORKER);
      }
      return Math.max(...take().map(({ plan }) => buffersOf(plan)));
    };
    await record(10);
    await chain();
    const before = await most();
    await own.database.pool.query(
      `insert into audit_entries (id, at, actor, action, subject, details)
       select (select max(id) from audit_entries) + number, now(), 'cli:alice', 'store.create', 'store:1', '{}'
       from generate_series(1, 5000) as number`,
    );
    await chain();
    await own.database.pool.query('analyze');
    const after = await most();
    await closeDatabase(database);
    // Index trees may be one page deeper, and one statement uses several of them.
    expect(after).toBeLessThanOrEqual(before + 8);
  });
});
