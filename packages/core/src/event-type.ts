/** Types of events about invoices. */

/** Sent to an invoice's `callback_url`. */
export const CALLBACK_EVENT_TYPES = ['invoice.completed', 'invoice.expired'] as const;

/** Sent to webhook endpoints, each of which has some of these. */
export const ENDPOINT_EVENT_TYPES = [
  'invoice.processing',
  'invoice.completed',
  'invoice.expired',
  'invoice.money_received',
] as const;

export const EVENT_TYPES = [...ENDPOINT_EVENT_TYPES, 'webhook.test'] as const;

export type InvoiceEventType = (typeof ENDPOINT_EVENT_TYPES)[number];
export type EventType = (typeof EVENT_TYPES)[number];

const ofCallback: ReadonlySet<EventType> = new Set(CALLBACK_EVENT_TYPES);

export const isCallbackEvent = (type: EventType): boolean => ofCallback.has(type);
