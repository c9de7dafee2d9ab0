import { MINUTE_MS } from '@counterfoil/core/duration.ts';
import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';

/** An invoice is a request for payment in USD. Its code is an identifier, not a secret. */

export const INVOICE_STATUSES = ['waiting', 'processing', 'completed', 'expired'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

const RANDOM_LENGTH = 15;

/** Shard first, so that a router can find the cell, then 77 random bits. */
export function createTransId(shard: string): string {
  return `TID-${shard}${randomText(UPPER_ALPHANUMERIC, RANDOM_LENGTH)}`;
}

/** Whole seconds, because payments are judged by block times, which have no fractions. */
export function lifetimeOf(nowMs: number, minutes: number): { createdAt: Date; expiresAt: Date } {
  const createdAtMs = Math.floor(nowMs / 1000) * 1000;
  return { createdAt: new Date(createdAtMs), expiresAt: new Date(createdAtMs + minutes * MINUTE_MS) };
}

/** For invoices of earlier versions, which did not record their lifetime. The end of a test invoice may have been moved. */
export function lifetimeBetween(createdAt: Date, expiresAt: Date): number {
  return Math.max(1, Math.round((expiresAt.getTime() - createdAt.getTime()) / MINUTE_MS));
}
