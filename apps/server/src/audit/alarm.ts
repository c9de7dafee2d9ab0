/** Something that an operator must look at. */
export type Alarm = {
  kind: 'found-late' | 'payment-reverted' | 'slots-exhausted' | 'deep-reorg' | 'event-missing';
  subject: string;
  details: Record<string, unknown>;
};
