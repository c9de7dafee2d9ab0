/** How soon an operator must look into an alarm: `immediate` alarms stop payments or may mean that one was lost. */
export const URGENCIES = ['immediate', 'same-day', 'routine'] as const;
type Urgency = (typeof URGENCIES)[number];

type AlarmFacts = { urgency: Urgency };

/** Every kind of alarm. Each kind has its chapter in docs/alarms.md and its row in the metric. */
export const ALARMS = {
  'account-history-missing': { urgency: 'same-day' },
  'attachment-failed': { urgency: 'same-day' },
  'clock-right': { urgency: 'routine' },
  'clock-wrong': { urgency: 'immediate' },
  'deep-reorg': { urgency: 'immediate' },
  'doctor-found': { urgency: 'same-day' },
  'duplicate-logs': { urgency: 'same-day' },
  'event-missing': { urgency: 'immediate' },
  'exchange-account-silent': { urgency: 'same-day' },
  'exchange-account-stopped': { urgency: 'immediate' },
  'exchange-key-ends': { urgency: 'routine' },
  'exchange-key-refused': { urgency: 'same-day' },
  'exchange-row-unclear': { urgency: 'same-day' },
  'finality-stalled': { urgency: 'same-day' },
  'found-late': { urgency: 'same-day' },
  'head-stalled': { urgency: 'same-day' },
  'job-failed': { urgency: 'same-day' },
  'jobs-off': { urgency: 'same-day' },
  'logs-quiet': { urgency: 'same-day' },
  'mail-refused': { urgency: 'routine' },
  'mail-server-unusable': { urgency: 'same-day' },
  'method-change-failed': { urgency: 'same-day' },
  'method-unsupported': { urgency: 'routine' },
  'password-spraying': { urgency: 'same-day' },
  'payment-reverted': { urgency: 'immediate' },
  'provider-silent': { urgency: 'same-day' },
  'providers-disagree': { urgency: 'same-day' },
  'single-provider': { urgency: 'routine' },
  'slots-exhausted': { urgency: 'same-day' },
  'topup-failed': { urgency: 'same-day' },
  'transfer-doubted': { urgency: 'same-day' },
  'unknown-transactions': { urgency: 'routine' },
  'unreadable-transaction': { urgency: 'same-day' },
  'wrong-chain': { urgency: 'immediate' },
} as const satisfies Record<string, AlarmFacts>;

export type AlarmKind = keyof typeof ALARMS;

export const ALARM_KINDS = Object.keys(ALARMS) as AlarmKind[];

/** An alarm: something that an operator must look into. */
export type Alarm = { kind: AlarmKind; subject: string; details: Record<string, unknown> };
