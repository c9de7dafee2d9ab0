import { setBounded } from '../lib/bounded-map.ts';

/** What an account held when it was last looked at, and since how many polls nothing explains it; null once something did. */
export type Fingerprint = { held: string; unexplainedPolls: number | null };

/** A node's listing can be behind its balances: a change that no listing explains is looked at again at these polls. */
const LOOKED_AT_AGAIN: ReadonlySet<number> = new Set([1, 2, 3, 5, 8, 13, 21]);
const LAST_POLL = Math.max(...LOOKED_AT_AGAIN);
/** What was found may explain only a part of the change: the last look is taken all the same, five polls later. */
const POLLS_WHEN_FOUND = 17;
const MAX_FINGERPRINTS = 50_000;

/** What is not told counts as changed. */
export function hasChanged(known: Fingerprint | undefined, held: string | undefined): boolean {
  if (held === undefined || known?.held !== held) return true;
  return known.unexplainedPolls !== null && LOOKED_AT_AGAIN.has(known.unexplainedPolls);
}

/** After a poll at which it held the same, whether or not it was looked at. */
export function afterPoll({ held, unexplainedPolls }: Fingerprint): Fingerprint {
  const last = unexplainedPolls === null || unexplainedPolls >= LAST_POLL;
  return { held, unexplainedPolls: last ? null : unexplainedPolls + 1 };
}

export type Looked = {
  held: string;
  /** It found a payment that was not seen before. */
  found: boolean;
  /** Somebody asked for this account just now: what was paid at once may not be listed yet. */
  starting: boolean;
};

/** After a look that was given what is held now. */
export function afterLook(known: Fingerprint | undefined, { held, found, starting }: Looked): Fingerprint {
  if (!known && !starting && !found) return { held, unexplainedPolls: null };
  if (found) return { held, unexplainedPolls: POLLS_WHEN_FOUND };
  return known?.held === held ? afterPoll(known) : { held, unexplainedPolls: 1 };
}

export function keepFingerprint(fingerprints: Map<string, Fingerprint>, account: string, one: Fingerprint): void {
  setBounded(fingerprints, account, one, MAX_FINGERPRINTS);
}
