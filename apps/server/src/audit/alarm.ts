/** Kinds of alarms. Each kind has its chapter in docs/alarms.md and its row in the metric. */
export const ALARM_KINDS = [
  'account-history-missing',
  'attachment-failed',
  'clock-right',
  'clock-wrong',
  'deep-reorg',
  'doctor-found',
  'duplicate-logs',
  'event-missing',
  'exchange-account-silent',
  'exchange-account-stopped',
  'exchange-key-ends',
  'exchange-key-refused',
  'exchange-row-unclear',
  'finality-stalled',
  'found-late',
  'head-stalled',
  'job-failed',
  'jobs-off',
  'logs-quiet',
  'mail-refused',
  'mail-server-unusable',
  'method-change-failed',
  'method-unsupported',
  'password-spraying',
  'payment-reverted',
  'provider-silent',
  'providers-disagree',
  'single-provider',
  'slots-exhausted',
  'topup-failed',
  'transfer-doubted',
  'unknown-transactions',
  'unreadable-transaction',
  'wrong-chain',
] as const;

export type AlarmKind = (typeof ALARM_KINDS)[number];

/** An alarm: something that an operator must look into. */
export type Alarm = { kind: AlarmKind; subject: string; details: Record<string, unknown> };
