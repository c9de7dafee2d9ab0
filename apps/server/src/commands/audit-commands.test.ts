import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { AuditAction } from '../audit/audit.ts';
import { digestNumber, formatHead } from '../audit/audit-head.ts';
import { readHeadLink } from '../audit/audit-link-sql.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import { systemClock } from '../lib/clock.ts';
import { auditCommands } from './audit-commands.ts';
import { chainAudit } from '../secrets/chain-audit.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { createKeyRing } from '../secrets/key-ring.ts';
import { registerKeyRing } from '../secrets/register-key-ring.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { NO_EXCHANGES } from '../../rig/exchanges/no-exchanges.ts';
import { NO_MAIL } from '../../rig/mail/no-mail.ts';

const ALICE = { kind: 'operator', name: 'alice' } as const;

let own: TestDatabase;
let ring: KeyRing;
beforeEach(async () => {
  own = await openTestDatabase(inject('template'));
  ring = createKeyRing();
  await registerKeyRing(own.database.queries, ring);
});
afterEach(() => own.drop());

async function run(name: string, values: Record<string, string> = {}): Promise<unknown> {
  const found = auditCommands.find((one) => one.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  const context = {
    ...NO_EXCHANGES,
    ...NO_MAIL,
    networks: NETWORKS,
    database: own.database,
    clock: systemClock,
    actor: ALICE,
    keyRingFile: () => 'none',
    keyRing: () => Promise.resolve(ring),
    chainUrls: () => [],
    wait: () => Promise.resolve(),
  };
  return found.run(context, values);
}

/** Records entries and has a worker link them. */
async function record(count: number, action: AuditAction = 'store.create'): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const fact = { action, subject: 'store:1', details: { number } };
    await inTransaction(own.database, (tx) => recordAudit(tx, systemClock, ALICE, fact));
  }
  await chainAudit({ database: own.database, clock: systemClock, ring }, { kind: 'worker', name: 'test' });
}

async function exportHead(): Promise<{ head: string; numbers: string }> {
  const link = await readHeadLink(own.database.queries);
  if (!link) throw new Error('Nothing is chained.');
  return { head: formatHead(link), numbers: `${link.position}:${digestNumber(link.hash)}` };
}

const switchTriggers = (how: 'disable' | 'enable') =>
  own.database.pool.query(`alter table audit_entries ${how} trigger all; alter table audit_links ${how} trigger all`);

/** Changes audit entries as a person could who owns the database and has no key ring. */
async function tamper(...statements: string[]): Promise<void> {
  await switchTriggers('disable');
  for (const statement of statements) await own.database.pool.query(statement);
  await switchTriggers('enable');
}

/**
 * Removes the two newest entries and their links. Entry 5, which begins the chain, is its first link; entries 1 to 4
 * follow.
 */
const REMOVE_NEWEST = ['delete from audit_links where position > 3', 'delete from audit_entries where id in (3, 4)'];

describe('audit verify --head', () => {
  test('accepts a head that was exported, also after more entries', async () => {
    await record(4);
    const { head, numbers } = await exportHead();
    expect(await run('audit head')).toEqual({ head, entry: 4n });
    expect(await run('audit verify', { head })).toEqual({ entries: 5, waiting: 0, head });
    await record(3);
    expect(await run('audit verify', { head })).toMatchObject({ entries: 8 });
    expect(await run('audit verify', { head: numbers })).toMatchObject({ entries: 8 });
  });

  test('finds that the newest entries were removed, which the chain alone cannot show', async () => {
    await record(4);
    const { head, numbers } = await exportHead();
    await tamper(...REMOVE_NEWEST);
    expect(await run('audit verify')).toMatchObject({ entries: 3, waiting: 0 });
    for (const exported of [head, numbers])
      await expect(run('audit verify', { head: exported })).rejects.toThrow(
        'Link 5 was exported and the chain ends at 3: its newest entries were removed.',
      );
  });

  test('finds that the newest entries were replaced by others, which a worker has chained', async () => {
    await record(4);
    const { head, numbers } = await exportHead();
    await tamper(
      ...REMOVE_NEWEST,
      `insert into audit_entries select id + 2, at, actor, 'nothing', subject, details from audit_entries where id in (1, 2)`,
    );
    await chainAudit({ database: own.database, clock: systemClock, ring }, { kind: 'worker', name: 'test' });
    expect(await run('audit verify')).toMatchObject({ entries: 5, waiting: 0 });
    for (const exported of [head, numbers])
      await expect(run('audit verify', { head: exported })).rejects.toThrow(
        'Link 5 is not the one that was exported: the chain was rewritten since then.',
      );
  });

  test('finds an entry that was changed and one that was added, whose links a worker made again', async () => {
    await record(4);
    const { head } = await exportHead();
    await tamper('delete from audit_links where position > 3', `update audit_entries set actor = 'x' where id = 3`);
    await chainAudit({ database: own.database, clock: systemClock, ring }, { kind: 'worker', name: 'test' });
    expect(await run('audit verify')).toMatchObject({ entries: 5, waiting: 0 });
    await expect(run('audit verify', { head })).rejects.toThrow('the chain was rewritten since then');
  });

  test('finds that the whole chain was removed and begun again', async () => {
    await record(4);
    const { head } = await exportHead();
    await tamper('delete from audit_links', 'delete from audit_entries', 'delete from secrets');
    await expect(run('audit verify', { head })).rejects.toThrow('Link 5 was exported and the chain ends at 0');
    await record(6);
    expect(await run('audit verify')).toMatchObject({ entries: 7 });
    await expect(run('audit verify', { head })).rejects.toThrow('the chain was rewritten since then');
  });

  test.each(['', '5', '5:', '0:1', '5:xyz', `5:${'A'.repeat(64)}`, `5:${'a'.repeat(63)}`, '5:1234567890123456'])(
    'refuses what is no head: %s',
    async (head) => {
      await expect(run('audit verify', { head })).rejects.toThrow('A head is POSITION:DIGEST');
    },
  );
});

test('audit begin records its reason, and earlier entries are still verified', async () => {
  await record(2);
  const { head } = await exportHead();
  expect(await run('audit begin', { reason: 'somebody has seen the secret' })).toMatchObject({ entry: 4n });
  await record(1);
  expect(await run('audit verify', { head })).toMatchObject({ entries: 5, waiting: 0 });
  await expect(run('audit begin', { reason: ' ' })).rejects.toThrow('--reason');
});
