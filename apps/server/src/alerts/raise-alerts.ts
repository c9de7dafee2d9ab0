import type { AlarmKind } from '../audit/alarm.ts';
import { listUnalerted, markAlerted } from '../audit/alarm-sql.ts';
import type { Context } from '../db/context.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { AlertChannel } from './alert.ts';
import { hourOf, nextAlert } from './alert.ts';
import { deleteOldAlerts, insertAlert, lockAlerts, readAlertFacts } from './alert-sql.ts';
import { lasts } from './alert-state-sql.ts';

/** How many subjects an alert names, those of its newest alarms. */
const MOST_SUBJECTS = 5;
const KEPT_MS = 400 * 86_400_000;
const ERASED_AT_ONCE = 100;

/** `channels`: the channels that are configured. */
type RaiseContext = Context & { channels: readonly AlertChannel[] };

type Reported = { alarms: number; subjects: readonly string[] };

const NOTHING: Reported = { alarms: 0, subjects: [] };

async function insertForAll(
  tx: Tx,
  { channels }: RaiseContext,
  { kind, phase, at }: { kind: AlarmKind; phase: 'raised' | 'over'; at: Date },
  reported: Reported,
): Promise<void> {
  for (const channel of channels)
    await insertAlert(tx, { kind, phase, channel, hour: hourOf(at.getTime()), createdAt: at, ...reported });
}

/**
 * Stores the alerts that alarms need, one per kind and hour, and one when a kind is over. Alarms are marked in the
 * transaction that stores their alert, so none is reported twice and none is forgotten; one worker decides at a time.
 */
export async function raiseAlerts(context: RaiseContext): Promise<void> {
  const { database, clock } = context;
  const at = new Date(clock.nowMs());
  await inTransaction(database, async (tx) => {
    if (!(await lockAlerts(tx))) return;
    const fresh = await listUnalerted(tx);
    for (const { kind, ...facts } of await readAlertFacts(tx, hourOf(at.getTime()))) {
      const next = nextAlert({ ...facts, hasFresh: fresh.has(kind) });
      const subjects = next === 'raised' ? await markAlerted(tx, kind, at) : [];
      const reported = { alarms: subjects.length, subjects: subjects.slice(0, MOST_SUBJECTS) };
      if (subjects.length > 0) await insertForAll(tx, context, { kind, phase: 'raised', at }, reported);
      if (next === 'over-unless-it-lasts' && !(await lasts(tx, kind, at.getTime())))
        await insertForAll(tx, context, { kind, phase: 'over', at }, NOTHING);
    }
    await deleteOldAlerts(tx, new Date(at.getTime() - KEPT_MS), ERASED_AT_ONCE);
  });
}
