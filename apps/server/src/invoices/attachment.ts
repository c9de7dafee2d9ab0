import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';

/** Requests of members to attach a transfer to an invoice. A worker performs them. Pure. */

const CODE_LENGTH = 12;

export type AttachmentState = 'asked' | 'done' | 'refused' | 'failed';

export function createAttachmentCode(): string {
  return `ATT-${randomText(UPPER_ALPHANUMERIC, CODE_LENGTH)}`;
}

const SECOND_MS = 1_000;
const LONGEST_REST_MS = 600_000;
/** How often a request is tried that can be neither performed nor refused: for about an hour. */
const MAX_TRIES = 14;

/** When a request is tried again after so many tries that failed; undefined when they are used up. */
export function nextTryAfter(tries: number, now: Date): Date | undefined {
  if (tries >= MAX_TRIES) return undefined;
  return new Date(now.getTime() + Math.min(LONGEST_REST_MS, SECOND_MS * 2 ** (tries - 1)));
}
