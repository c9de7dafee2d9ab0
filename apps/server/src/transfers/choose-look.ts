import type { AccountMark } from './account-source.ts';
import type { FollowedAccount } from './account-store.ts';

/** Which looks an account gets in a turn: at what is confirmed, again at what is final, both or none. */
export type Look = 'none' | 'first' | 'second' | 'both';

export type Reasons = {
  finalized: AccountMark;
  /** It is not known to hold what it held when it was last looked at. */
  changed: boolean;
  /** In whole seconds: the earliest end that waits until the account is covered past it. */
  end: number | undefined;
  coverSeconds: { open: number; resting: number };
};

/** All that is open at it has ended, and it is covered past that. */
export function isResting({ covered, openUntil }: FollowedAccount): boolean {
  return covered !== undefined && covered.time > openUntil;
}

/**
 * Looks cost a provider far more than the hint that an account changed. One that did not is looked at only when that can
 * change something: a payment that was seen there is final now, an end is final now, or its coverage is far behind.
 */
export function chooseLook(account: FollowedAccount, { finalized, changed, end, coverSeconds }: Reasons): Look {
  const { state, covered, cursor, openUntil, unsettled } = account;
  if (state === 'starting' || !covered) return 'both';
  const passed = (time: number) => covered.time <= time && time < finalized.time;
  const allowed = isResting(account) ? coverSeconds.resting : coverSeconds.open;
  if (finalized.time - covered.time >= allowed || passed(openUntil) || (end !== undefined && passed(end)))
    return 'both';
  if (unsettled !== undefined && unsettled <= finalized.height)
    // What is to settle was read by the first look already.
    return changed || cursor.height < unsettled ? 'both' : 'second';
  return changed ? 'first' : 'none';
}
