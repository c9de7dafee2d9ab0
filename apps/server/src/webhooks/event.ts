import type { EventType, InvoiceEventType } from '@counterfoil/core/event-type.ts';
import { createHmac, createSecretKey } from 'node:crypto';
import { API_VERSION } from '../lib/api-version.ts';
import { ALPHANUMERIC, randomText } from '../lib/random.ts';

/** An event's body is written once and sent unchanged at every attempt. */

const EVENT_ID_LENGTH = 24;
const CHARACTERS_AT_ONCE = 8;
const DIVISOR = BigInt(ALPHANUMERIC.length) ** BigInt(CHARACTERS_AT_ONCE);

type EventInput = {
  type: InvoiceEventType;
  /** The number among the invoice's `completed` and `expired` events; others have none. */
  sequence: number | null;
  createdAt: number;
  transId: string;
  requestId: string | null;
  status: string;
  late: boolean;
  /** The invoice at this change, as a lookup shows it. */
  data: Record<string, unknown>;
  /** The transfer that an `invoice.money_received` reports. */
  money?: Record<string, unknown>;
};

/**
 * Derived: an event decided again after a restore keeps its id, so that no one ships twice. `repetition` distinguishes
 * events of one type: the identity of the transfer, or the number of the change.
 */
export function deriveEventId(salt: Buffer, transId: string, type: InvoiceEventType, repetition?: string): string {
  const subject = repetition === undefined ? `${transId} ${type}` : `${transId} ${type} ${repetition}`;
  // Three times as fast with a key object as with a buffer.
  const digest = createHmac('sha256', createSecretKey(salt)).update(subject).digest('hex');
  let [left, text] = [BigInt(`0x${digest}`), ''];
  // Numbers are divided much faster than a bigint, so one bigint division gives several characters.
  for (; text.length < EVENT_ID_LENGTH; left /= DIVISOR) {
    let digits = Number(left % DIVISOR);
    for (let count = 0; count < CHARACTERS_AT_ONCE; count += 1) {
      text += ALPHANUMERIC.charAt(digits % ALPHANUMERIC.length);
      digits = Math.floor(digits / ALPHANUMERIC.length);
    }
  }
  return `evt_${text}`;
}

/** Random, because a test event is never decided again. */
export function createTestEventId(): string {
  return `evt_${randomText(ALPHANUMERIC, EVENT_ID_LENGTH)}`;
}

export function eventBody(eventId: string, event: EventInput): string {
  return JSON.stringify({
    event: event.type,
    event_id: eventId,
    ...(event.sequence !== null && { sequence: event.sequence }),
    api_version: API_VERSION,
    created_at: event.createdAt,
    trans_id: event.transId,
    ...(event.requestId !== null && { request_id: event.requestId }),
    status: event.status,
    ...(event.late && { late: true }),
    ...(event.money && { money: event.money }),
    data: event.data,
  });
}

/** A test event's body, without status, code or order id: nothing that could find or fulfil an order. */
export function testBody(eventId: string, createdAt: number): string {
  return JSON.stringify({
    event: 'webhook.test' satisfies EventType,
    event_id: eventId,
    sequence: 1,
    api_version: API_VERSION,
    created_at: createdAt,
    test: true,
    data: {},
  });
}
