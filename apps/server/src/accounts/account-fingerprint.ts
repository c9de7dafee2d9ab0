import { setBounded } from '../lib/bounded-map.ts';

/**
 * What this process remembers of a followed account: the balances at the last read, and the polls since their last
 * change without a transfer that explains it (null: nothing to explain).
 */
export type Fingerprint = { balances: string; unexplainedPolls: number | null };

/** Polls that read an unexplained change of balances again: a node's list can lag its balances. */
const REREAD_POLLS: ReadonlySet<number> = new Set([1, 2, 3, 5, 8, 13, 21]);
const LAST_POLL = Math.max(...REREAD_POLLS);
/** After a found transfer, which may explain only a part of the change: the account is read again at poll 21. */
const POLLS_WHEN_FOUND = 17;
const MAX_FINGERPRINTS = 50_000;

/** Whether balances changed, are unknown, or are due to be read again. */
export function hasChanged(known: Fingerprint | undefined, balances: string | undefined): boolean {
  if (balances === undefined || known?.balances !== balances) return true;
  return known.unexplainedPolls !== null && REREAD_POLLS.has(known.unexplainedPolls);
}

/** The fingerprint after a poll that showed the same balances. */
export function afterPoll({ balances, unexplainedPolls }: Fingerprint): Fingerprint {
  const last = unexplainedPolls === null || unexplainedPolls >= LAST_POLL;
  return { balances, unexplainedPolls: last ? null : unexplainedPolls + 1 };
}

type ReadOutcome = {
  balances: string;
  found: boolean;
  /** Whether following has just started: an immediate payment may not be listed yet, so later polls read again. */
  starting: boolean;
};

/** The fingerprint after a read at these balances. */
export function afterRead(known: Fingerprint | undefined, { balances, found, starting }: ReadOutcome): Fingerprint {
  if (!known && !starting && !found) return { balances, unexplainedPolls: null };
  if (found) return { balances, unexplainedPolls: POLLS_WHEN_FOUND };
  return known?.balances === balances ? afterPoll(known) : { balances, unexplainedPolls: 1 };
}

export function keepFingerprint(fingerprints: Map<string, Fingerprint>, account: string, one: Fingerprint): void {
  setBounded(fingerprints, account, one, MAX_FINGERPRINTS);
}
