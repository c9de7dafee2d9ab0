import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { matchesHead, parseHead } from '../audit/audit-head.ts';
import { readHeadLink } from '../audit/audit-link-sql.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { tellAuditHead } from '../audit/tell-audit-head.ts';
import { inTransaction } from '../db/transaction.ts';
import { systemClock } from '../lib/clock.ts';
import { chainAudit } from '../secrets/chain-audit.ts';
import { createKeyRing } from '../secrets/key-ring.ts';
import { registerKeyRing } from '../secrets/register-key-ring.ts';
import { observeAudit } from './audit-metrics.ts';

let own: TestDatabase;
beforeEach(async () => {
  own = await openTestDatabase(inject('template'));
});
afterEach(() => own.drop());

async function record(count: number): Promise<void> {
  const fact = { action: 'store.create', subject: 'store:1', details: {} } as const;
  for (let number = 0; number < count; number += 1)
    await inTransaction(own.database, (tx) => recordAudit(tx, systemClock, { kind: 'operator', name: 'alice' }, fact));
}

async function chain(): Promise<void> {
  const ring = createKeyRing();
  await registerKeyRing(own.database.queries, ring);
  await chainAudit({ database: own.database, clock: systemClock, ring }, { kind: 'worker', name: 'test' });
}

const valueOf = (text: string, name: string) => new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];

test('the head of the audit chain is exported as two numbers, which --head takes, and what waits is counted', async () => {
  const registry = new Registry();
  observeAudit(registry, own.database);
  await record(2);
  const before = await registry.metrics();
  expect(valueOf(before, 'counterfoil_audit_head_position')).toBe('0');
  expect(valueOf(before, 'counterfoil_audit_waiting_entries')).toBe('2');
  await chain();
  const after = await registry.metrics();
  expect(valueOf(after, 'counterfoil_audit_waiting_entries')).toBe('0');
  const numbers = ['position', 'digest'].map((name) => valueOf(after, `counterfoil_audit_head_${name}`));
  const link = await readHeadLink(own.database.queries);
  const head = parseHead(numbers.join(':'));
  expect(head.position).toBe(link?.position);
  expect(link && matchesHead(head, link.hash)).toBe(true);
});

test('the head of the audit chain is exported without a label: the number of series does not grow', async () => {
  const registry = new Registry();
  observeAudit(registry, own.database);
  await record(1);
  await chain();
  expect(await registry.metrics()).not.toMatch(/\{/);
});

test('the head of the audit chain is told to the log, as --head takes it', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  await tellAuditHead({ database: own.database, log });
  expect(lines).toEqual([]);
  await record(1);
  await chain();
  await tellAuditHead({ database: own.database, log });
  const told = JSON.parse(lines[0] ?? '{}') as { head: string; msg: string };
  expect(told.msg).toBe('audit head');
  const link = await readHeadLink(own.database.queries);
  expect(link && matchesHead(parseHead(told.head), link.hash)).toBe(true);
});
