/** Moments in the browser's field format, `2026-11-17T09:08`, in the reader's time zone. */

const MS_PER_SECOND = 1_000;
const MINUTE_LENGTH = 'YYYY-MM-DDTHH:MM'.length;
const MS_PER_MINUTE = 60_000;

export function toField(seconds: number): string {
  const date = new Date(seconds * MS_PER_SECOND);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * MS_PER_MINUTE);
  return local.toISOString().slice(0, MINUTE_LENGTH);
}

export function fromField(text: string): number | undefined {
  const ms = new Date(text).getTime();
  return text === '' || Number.isNaN(ms) ? undefined : Math.floor(ms / MS_PER_SECOND);
}
