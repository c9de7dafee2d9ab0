import { setBounded } from '../lib/bounded-map.ts';

/**
 * What this process remembers of a followed account: its balances at the last read, and for how many polls no transfer
 * has explained the last change of the balances (null when nothing is left to explain).
 */
export type Fingerprint = { balances: string; unexplainedPolls: number | null };

/**
 * Polls at which an unexplained change of balances is read again: a node's list of transactions can be behind its
 * balances.
 */
const REREAD_POLLS: ReadonlySet<number> = new Set([1, 2, 3, 5, 8, 13, 21]);
const LAST_POLL = Math.max(...REREAD_POLLS);
/**
 * Value of `unexplainedPolls` after a read that found a transfer. The transfer may explain only a part of the change of
 * balances, so the followed account is read once more, at poll 21.
 */
const POLLS_WHEN_FOUND = 17;
const MAX_FINGERPRINTS = 50_000;

/** Whether a followed account must be read: its balances changed, are unknown, or are due to be read again. */
export function hasChanged(known: Fingerprint | undefined, balances: string | undefined): boolean {
  if (balances === undefined || known?.balances !== balances) return true;
  return known.unexplainedPolls !== null && REREAD_POLLS.has(known.unexplainedPolls);
}

/** The fingerprint after a poll that showed the same balances, whether or not the followed account was read. */
export function afterPoll({ balances, unexplainedPolls }: Fingerprint): Fingerprint {
  const last = unexplainedPolls === null || unexplainedPolls >= LAST_POLL;
  return { balances, unexplainedPolls: last ? null : unexplainedPolls + 1 };
}

type ReadOutcome = {
  balances: string;
  /** Whether the read found a transfer that was not seen before. */
  found: boolean;
  /**
   * Whether following has just started. Then the followed account is read again in later polls even if nothing was
   * found, because a payment made at once may not be listed yet.
   */
  starting: boolean;
};

/** The fingerprint after a read of a followed account that had these balances. */
export function afterRead(known: Fingerprint | undefined, { balances, found, starting }: ReadOutcome): Fingerprint {
  if (!known && !starting && !found) return { balances, unexplainedPolls: null };
  if (found) return { balances, unexplainedPolls: POLLS_WHEN_FOUND };
  return known?.balances === balances ? afterPoll(known) : { balances, unexplainedPolls: 1 };
}

export function keepFingerprint(fingerprints: Map<string, Fingerprint>, account: string, one: Fingerprint): void {
  setBounded(fingerprints, account, one, MAX_FINGERPRINTS);
}
