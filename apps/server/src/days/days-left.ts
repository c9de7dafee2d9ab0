/** How long a balance lasts. */

/** Days over which fees are averaged. */
export const AVERAGED_DAYS = 7;
/** Larger numbers are capped. */
const MAX_DAYS_LEFT = 9_999n;

/** Whole days at the last seven days' fees; null when there were none. A used-up balance lasts 0 days. */
export function daysLeft(availableMicroUsd: bigint, feesMicroUsd: bigint): number | null {
  if (feesMicroUsd <= 0n) return null;
  if (availableMicroUsd <= 0n) return 0;
  const days = (availableMicroUsd * BigInt(AVERAGED_DAYS)) / feesMicroUsd;
  return Number(days < MAX_DAYS_LEFT ? days : MAX_DAYS_LEFT);
}
