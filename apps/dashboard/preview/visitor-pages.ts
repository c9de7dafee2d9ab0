import type { PageRow, Places } from './page-row.ts';
import { here, NO_CODE, NO_FILTER, NO_NAMES, why } from './page-row.ts';
import { press } from './shot.ts';

/** Pages for people who are not signed in. */

const NOTHING_LOADED = why('The page loads nothing before its button is pressed.');
const NO_MEMBER = why('Nobody is signed in, so there is no account, role or store.');
const NO_LINE = why('A form keeps what was typed and words the failure under its button.');

/** Pages for visitors: a form or a button, without data of a merchant. */
const VISITOR = {
  loading: NOTHING_LOADED,
  empty: NO_MEMBER,
  filtered: NO_FILTER,
  error: NO_LINE,
  refused: NO_MEMBER,
  missing: NO_CODE,
  stale: NOTHING_LOADED,
  offline: NO_LINE,
  locked: NO_MEMBER,
  test: NO_MEMBER,
  long: NO_NAMES,
  arabic: here,
} as const;

export type VisitorPage =
  | 'sign-in'
  | 'sign-up'
  | 'verify'
  | 'create-business'
  | 'forgot'
  | 'reset'
  | 'invitation'
  | 'lock'
  | 'keep-factors'
  | 'email'
  | 'undo'
  | 'undo-stop';

export function visitorPages({ invitation }: Places): Record<VisitorPage, PageRow> {
  const page = (path: string): PageRow => ({ path, who: 'nobody', states: VISITOR });
  return {
    'sign-in': page('/sign-in'),
    'sign-up': page('/sign-up'),
    verify: page('/verify#a-token'),
    'create-business': { ...page('/create-business'), who: 'owner' },
    forgot: page('/forgot'),
    reset: page('/reset#a-token'),
    invitation: {
      ...page(`/invitation#${invitation}`),
      states: { ...VISITOR, loading: here, missing: { path: '/invitation#unknown', who: 'nobody' } },
    },
    lock: page('/lock#a-token'),
    'keep-factors': page('/keep-factors#a-token'),
    email: page('/email#a-token'),
    undo: {
      ...page('/undo#a-token'),
      states: { ...VISITOR, missing: { before: press('End all sessions and continue') } },
    },
    'undo-stop': page('/undo/stop#a-token'),
  };
}
