import { DAY_MS, HOUR_MS } from '@counterfoil/core/duration.ts';

/**
 * The hours of the foreign exchange market: a trading day begins and ends at 17:00 in New York; there is none on
 * Saturdays, Sundays, 25 December and 1 January. Rates stand still then, so their age is counted in market time.
 */

/** Longer spans are never fresh, so nothing is counted. */
const MAX_SPAN_MS = 15 * DAY_MS;
const CLOSING_HOUR = 17;
/** Hours between New York and UTC, in summer and in winter. */
const OFFSETS = [4, 5];

const newYorkHour = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hour: 'numeric',
  hourCycle: 'h23',
});

/** 17:00 in New York on a calendar day, given as its midnight in UTC. */
function closeOf(dayMs: number): number {
  const moments = OFFSETS.map((offset) => dayMs + (CLOSING_HOUR + offset) * HOUR_MS);
  const close = moments.find((moment) => Number(newYorkHour.format(moment)) === CLOSING_HOUR);
  if (close === undefined) throw new Error('New York has another offset from UTC than known.');
  return close;
}

function isTradingDay(dayMs: number): boolean {
  const day = new Date(dayMs);
  const weekday = day.getUTCDay();
  const date = `${day.getUTCMonth() + 1}-${day.getUTCDate()}`;
  return weekday !== 0 && weekday !== 6 && date !== '12-25' && date !== '1-1';
}

/** Milliseconds between two moments in which the market was open. */
function marketMsBetween(fromMs: number, toMs: number): number {
  let total = 0;
  const lastDayMs = Math.floor(toMs / DAY_MS) * DAY_MS + DAY_MS;
  for (let dayMs = Math.floor(fromMs / DAY_MS) * DAY_MS; dayMs <= lastDayMs; dayMs += DAY_MS) {
    if (!isTradingDay(dayMs)) continue;
    const opened = Math.max(fromMs, closeOf(dayMs - DAY_MS));
    const closed = Math.min(toMs, closeOf(dayMs));
    total += Math.max(0, closed - opened);
  }
  return total;
}

export function isOlderInMarketTime(at: Date, now: Date, limitMs: number): boolean {
  const ageMs = now.getTime() - at.getTime();
  if (ageMs <= limitMs) return false;
  return ageMs > MAX_SPAN_MS || marketMsBetween(at.getTime(), now.getTime()) > limitMs;
}
