import { API_VERSION } from '../lib/api-version.ts';
import { ALPHANUMERIC, randomText } from '../lib/random.ts';

/** A fact told to a merchant. The body is written once and sent as it is on every attempt. */

export type EventType = 'invoice.completed' | 'invoice.expired';

const EVENT_ID_LENGTH = 24;

export type EventInput = {
  type: EventType;
  sequence: number;
  createdAt: number;
  transId: string;
  requestId: string | null;
  status: string;
  late: boolean;
  /** Exactly the lookup payload at this change. */
  data: Record<string, unknown>;
};

export function createEventId(): string {
  return `evt_${randomText(ALPHANUMERIC, EVENT_ID_LENGTH)}`;
}

export function eventBody(eventId: string, event: EventInput): string {
  return JSON.stringify({
    event: event.type,
    event_id: eventId,
    sequence: event.sequence,
    api_version: API_VERSION,
    created_at: event.createdAt,
    trans_id: event.transId,
    ...(event.requestId !== null && { request_id: event.requestId }),
    status: event.status,
    ...(event.late && { late: true }),
    data: event.data,
  });
}
