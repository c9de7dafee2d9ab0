/** Something that an operator must look at. */
export type Alarm = {
  kind:
    | 'found-late'
    | 'payment-reverted'
    | 'slots-exhausted'
    | 'deep-reorg'
    | 'event-missing'
    | 'single-provider'
    | 'provider-silent'
    | 'providers-disagree'
    | 'transfer-doubted'
    | 'logs-quiet'
    | 'unknown-transactions'
    | 'wrong-chain'
    | 'finality-stalled'
    | 'clock-wrong'
    | 'clock-right'
    | 'unreadable-transaction'
    | 'account-history-missing';
  subject: string;
  details: Record<string, unknown>;
};
