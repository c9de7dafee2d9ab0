/** How long a balance lasts. Pure. */

/** Over how many days fees are averaged. */
export const AVERAGED_DAYS = 7;
/** More days than this are told as this many. */
const MAX_DAYS_LEFT = 9_999n;

/**
 * Whole days that a balance lasts at the fees of the last seven days; null when there were none. A balance that is used
 * up lasts 0 days.
 */
export function daysLeft(availableMicroUsd: bigint, feesMicroUsd: bigint): number | null {
  if (feesMicroUsd <= 0n) return null;
  if (availableMicroUsd <= 0n) return 0;
  const days = (availableMicroUsd * BigInt(AVERAGED_DAYS)) / feesMicroUsd;
  return Number(days < MAX_DAYS_LEFT ? days : MAX_DAYS_LEFT);
}
