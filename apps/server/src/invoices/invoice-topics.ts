import { createTopic } from '../lib/topic.ts';

export const ENDED_OUTCOMES = ['completed', 'completed-late', 'expired', 'cancelled'] as const;

type EndedInvoice = {
  live: boolean;
  outcome: (typeof ENDED_OUTCOMES)[number];
  /** The completing payment: times from its block until it was seen, and until the invoice completed. */
  payment?: { network: string; detectedMs: number; completedMs: number };
};

export const CREATED_INVOICES = createTopic<{ live: boolean }>('created-invoices');
export const ENDED_INVOICES = createTopic<readonly EndedInvoice[]>('ended-invoices');
