import { Registry } from 'prom-client';
import { expect, inject, test } from 'vitest';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { ALARM_KINDS } from '../audit/alarm.ts';
import { raiseAlarms } from '../audit/raise-alarms.ts';
import { inTransaction } from '../db/transaction.ts';
import { systemClock } from '../lib/clock.ts';
import { observeAlarms } from './alarm-metrics.ts';

test('every kind of alarm has its row in the metric, 0 when there is none', async () => {
  const own = await openTestDatabase(inject('template'));
  const registry = new Registry();
  observeAlarms(registry, own.database);
  const at = new Date(systemClock.nowMs());
  await inTransaction(own.database, (tx) =>
    raiseAlarms(tx, at, [{ kind: 'deep-reorg', subject: 'chain:BSC', details: {} }]),
  );
  const text = await registry.metrics();
  await own.drop();
  const rows = text.split('\n').filter((line) => line.startsWith('counterfoil_alarms_unacknowledged{'));
  const expected = ALARM_KINDS.map(
    (kind) => `counterfoil_alarms_unacknowledged{kind="${kind}"} ${kind === 'deep-reorg' ? 1 : 0}`,
  );
  expect(rows.toSorted()).toEqual(expected.toSorted());
});
