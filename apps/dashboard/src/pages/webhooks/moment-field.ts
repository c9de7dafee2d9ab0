import { MINUTE_MS, SECOND_MS } from '@counterfoil/core/duration.ts';

/** Moments in the browser's field format, `2026-11-17T09:08`, in the reader's time zone. */

const MINUTE_LENGTH = 'YYYY-MM-DDTHH:MM'.length;

export function toField(seconds: number): string {
  const date = new Date(seconds * SECOND_MS);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS);
  return local.toISOString().slice(0, MINUTE_LENGTH);
}

export function fromField(text: string): number | undefined {
  const ms = new Date(text).getTime();
  return text === '' || Number.isNaN(ms) ? undefined : Math.floor(ms / SECOND_MS);
}
