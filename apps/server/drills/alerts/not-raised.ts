import type { AlarmKind } from '../../src/audit/alarm.ts';
import { ALARM_KINDS, ALARMS } from '../../src/audit/alarm.ts';
import type { Expected } from './fault.ts';

/**
 * Alerts that this drill does not raise, with the reason. promtool tests each of these rules with made-up series
 * (deploy/monitoring/counterfoil.test.yml), and suites test that each of these alarms is raised.
 */

const LONG_RANGE = 'its expression looks back so far that it fires, or ends, only after';
const NO_PLATFORM = 'needs a fault of an exchange platform; pnpm drill exchanges plants those';

const RULES_NOT_RAISED: Readonly<Record<string, string>> = {
  CounterfoilDatabaseBusy: `${LONG_RANGE} five minutes of full pools`,
  CounterfoilMetricsIncomplete: `${LONG_RANGE} ten minutes`,
  CounterfoilLoopStopped: 'a loop must fail for five minutes',
  CounterfoilPriceSourceSilent: 'a price source must be silent for ten minutes',
  CounterfoilPaymentsDetectedLate: `${LONG_RANGE} half an hour`,
  CounterfoilWebhooksLate: 'a webhook must be due for ten minutes',
  CounterfoilWebhooksFailing: `${LONG_RANGE} a quarter of an hour`,
  CounterfoilJobsWaiting: 'a job must be due for a quarter of an hour',
  CounterfoilJobsFailed: `${LONG_RANGE} an hour, and a job fails for good after minutes or hours of attempts`,
  CounterfoilClockWrong: 'needs a database host whose clock is wrong; every process of this machine shares its clock',
  CounterfoilDeepReorg: 'needs a reorganisation below every header that is kept',
  CounterfoilEventMissing: 'an invoice is checked a quarter of an hour after its end',
  CounterfoilExchangeAccountStopped: NO_PLATFORM,
};

/** Kinds of the alert CounterfoilSameDayAlarm. */
const KINDS_NOT_RAISED: Readonly<Record<string, string>> = {
  'account-history-missing': 'needs a network that is read account by account',
  'attachment-failed': 'a worker must fail for an hour',
  'exchange-account-silent': NO_PLATFORM,
  'exchange-key-refused': NO_PLATFORM,
  'exchange-row-unclear': NO_PLATFORM,
  'finality-stalled': 'blocks must go on for longer than this drill without becoming final',
  'found-late': 'an invoice must expire before its payment is found: half an hour at least',
  'job-failed': 'a job fails for good after minutes or hours of attempts',
  'logs-quiet': 'needs the traffic of a token that is always busy',
  'method-change-failed': 'a change of a payment method waits for hours',
  'providers-disagree': 'two providers must contradict each other for a minute about the same settled block',
  'rate-unavailable': 'sources of exchange rates must have answered before, and then fail for five minutes',
  'slots-exhausted': 'thousands of customers must select the same amount',
  'transfer-doubted': 'no provider may have a receipt of a transfer that another one lists',
  'unreadable-transaction': 'needs a network that is read account by account',
};

const KINDS = ALARM_KINDS.filter((kind: AlarmKind) => ALARMS[kind].urgency === 'same-day');

/** How many alerts are not raised, and which of them have no reason here or are raised in spite of it. */
export function judgeCoverage(
  rules: readonly string[],
  covered: readonly Expected[],
): { count: number; wrong: string[] } {
  const alerts = new Set(covered.map(({ alert }) => alert));
  const kinds = new Set(covered.flatMap(({ labels }) => labels?.['kind'] ?? []));
  const listed = { ...RULES_NOT_RAISED, ...KINDS_NOT_RAISED };
  const wrong = (all: readonly string[], raised: ReadonlySet<string>) =>
    all
      .filter((name) => raised.has(name) === name in listed)
      .map((name) => `${name} is neither raised nor explained, or both`);
  return { count: Object.keys(listed).length, wrong: [...wrong(rules, alerts), ...wrong(KINDS, kinds)] };
}
