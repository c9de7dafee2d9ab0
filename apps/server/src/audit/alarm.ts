/** How soon an operator must look into an alarm: `immediate` alarms stop payments or may mean that one was lost. */
export const URGENCIES = ['immediate', 'same-day', 'routine'] as const;
type Urgency = (typeof URGENCIES)[number];

/**
 * What an alarm is about: an `event` happened and is over when it was acknowledged; a `state` lasts and is over when its
 * cause is gone, acknowledged or not.
 */
type Nature = 'event' | 'state';

type AlarmFacts = { urgency: Urgency; nature: Nature };

/** Every kind of alarm. Each kind has its chapter in docs/alarms.md and its row in the metric. */
export const ALARMS = {
  'account-history-missing': { urgency: 'same-day', nature: 'event' },
  'attachment-failed': { urgency: 'same-day', nature: 'event' },
  'clock-right': { urgency: 'routine', nature: 'event' },
  'clock-wrong': { urgency: 'immediate', nature: 'state' },
  'database-mark-missing': { urgency: 'immediate', nature: 'state' },
  'database-went-back': { urgency: 'immediate', nature: 'state' },
  'deep-reorg': { urgency: 'immediate', nature: 'event' },
  'doctor-found': { urgency: 'same-day', nature: 'state' },
  'duplicate-logs': { urgency: 'same-day', nature: 'event' },
  'event-missing': { urgency: 'immediate', nature: 'event' },
  'exchange-account-silent': { urgency: 'same-day', nature: 'state' },
  'exchange-account-stopped': { urgency: 'immediate', nature: 'state' },
  'exchange-key-ends': { urgency: 'routine', nature: 'event' },
  'exchange-key-refused': { urgency: 'same-day', nature: 'state' },
  'exchange-row-unclear': { urgency: 'same-day', nature: 'event' },
  'finality-stalled': { urgency: 'same-day', nature: 'event' },
  'found-late': { urgency: 'same-day', nature: 'event' },
  'head-stalled': { urgency: 'same-day', nature: 'event' },
  'job-failed': { urgency: 'same-day', nature: 'event' },
  'jobs-off': { urgency: 'same-day', nature: 'state' },
  'logs-quiet': { urgency: 'same-day', nature: 'event' },
  'mail-refused': { urgency: 'routine', nature: 'event' },
  'mail-server-unusable': { urgency: 'same-day', nature: 'state' },
  'method-change-failed': { urgency: 'same-day', nature: 'event' },
  'method-unsupported': { urgency: 'routine', nature: 'event' },
  'password-spraying': { urgency: 'same-day', nature: 'state' },
  'payment-reverted': { urgency: 'immediate', nature: 'event' },
  'provider-silent': { urgency: 'same-day', nature: 'event' },
  'providers-disagree': { urgency: 'same-day', nature: 'event' },
  'rate-unavailable': { urgency: 'same-day', nature: 'state' },
  'single-provider': { urgency: 'routine', nature: 'event' },
  'slots-exhausted': { urgency: 'same-day', nature: 'state' },
  'topup-failed': { urgency: 'same-day', nature: 'event' },
  'transfer-doubted': { urgency: 'same-day', nature: 'event' },
  'unknown-transactions': { urgency: 'routine', nature: 'event' },
  'unreadable-transaction': { urgency: 'same-day', nature: 'event' },
  'wrong-chain': { urgency: 'immediate', nature: 'event' },
} as const satisfies Record<string, AlarmFacts>;

export type AlarmKind = keyof typeof ALARMS;

type KindOf<Kept extends Nature> = {
  [Kind in AlarmKind]: (typeof ALARMS)[Kind]['nature'] extends Kept ? Kind : never;
}[AlarmKind];
/** Kinds whose cause lasts, and whose end the database shows. */
export type StateKind = KindOf<'state'>;

export const ALARM_KINDS = Object.keys(ALARMS) as AlarmKind[];

/** An alarm: something that an operator must look into. */
export type Alarm = { kind: AlarmKind; subject: string; details: Record<string, unknown> };
