/** Merchants that users open themselves. */

/** Most merchants that one user may open; the database enforces it (`open_own_merchant`). */
export const MAX_OWN_MERCHANTS = 3;

/** Who approves such a merchant for live stores. */
export const LIVE_APPROVALS = ['operator', 'automatic'] as const;
export type LiveApproval = (typeof LIVE_APPROVALS)[number];

/** Whether a merchant is limited to test stores. Those of operators never wait. */
export function isWaiting({ openedBy, approvedAt }: { openedBy: bigint | null; approvedAt: Date | null }): boolean {
  return openedBy !== null && approvedAt === null;
}
