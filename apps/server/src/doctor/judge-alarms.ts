import type { AlarmKind } from '../audit/alarm.ts';
import { ALARMS } from '../audit/alarm.ts';
import type { Finding } from './finding.ts';
import { doubtful, fine, wrong } from './finding.ts';

type AlarmCount = { kind: AlarmKind; alarms: number };

const CHECK = 'alarms';
/** Alarms about one payment, invoice or account, for which a merchant or customer waits. */
const WAITING: ReadonlySet<AlarmKind> = new Set([
  'attachment-failed',
  'exchange-account-silent',
  'exchange-row-unclear',
  'found-late',
  'method-change-failed',
  'topup-failed',
  'transfer-doubted',
  'unreadable-transaction',
]);
const MEND = 'See alarm list and docs/alarms.md for each; alarm acknowledge says that one was dealt with.';

const named = (found: readonly AlarmCount[]) => found.map(({ kind, alarms }) => `${kind} (${alarms})`).join(', ');

/** Judges unacknowledged alarms about payments. */
export function judgeAlarms(counts: readonly AlarmCount[]): Finding {
  const open = counts.filter(({ alarms }) => alarms > 0);
  const stopped = open.filter(({ kind }) => ALARMS[kind].urgency === 'immediate');
  const both = named([...stopped, ...open.filter(({ kind }) => WAITING.has(kind))]);
  if (stopped.length > 0) return wrong(CHECK, `There are unacknowledged alarms about payments: ${both}.`, MEND);
  return both === ''
    ? fine(CHECK, 'Every alarm about payments is acknowledged.')
    : doubtful(CHECK, `There are unacknowledged alarms about single payments: ${both}.`, MEND);
}
