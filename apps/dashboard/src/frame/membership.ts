import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Role } from '../api/permission.ts';
import type { Me } from '../api/queries.ts';
import { meQuery } from '../api/queries.ts';

/** Who is signed in, and which merchant the page is about. */

export type Membership = Me['accounts'][number];

const STORED = 'counterfoil.account';

export const useMe = (): Me => useSuspenseQuery(meQuery).data;

export const rememberAccount = (account: string): void => localStorage.setItem(STORED, account);

/** The merchant to begin with: the one that was looked at last, else the first. */
export function firstAccount({ accounts }: Pick<Me, 'accounts'>): Membership | undefined {
  const stored = localStorage.getItem(STORED);
  return accounts.find(({ account }) => account === stored) ?? accounts[0];
}

/** The merchant of the present page; on pages about the person, the one that was looked at last. */
export function useMembership(): Membership | undefined {
  const { data: me } = useQuery(meQuery);
  const { account } = useParams({ strict: false });
  if (!me) return undefined;
  return account === undefined ? firstAccount(me) : me.accounts.find((one) => one.account === account);
}

/** Whether a merchant gives the reader no access until they set up two-factor authentication. */
const lacksTwoFactor = (me: Pick<Me, 'has_factor'> | undefined, membership: Membership | undefined): boolean =>
  membership?.two_factor_required === true && me?.has_factor === false;

/** The same merchant as `useMembership`; undefined when the reader has no access to it. */
export function useReachedMembership(): Membership | undefined {
  const { data: me } = useQuery(meQuery);
  const present = useMembership();
  return lacksTwoFactor(me, present) ? undefined : present;
}

/** The merchant and the reader's role on a page below `/m/`. A stranger has no role, and sees what a viewer sees. */
export function useAccount(): { account: string; name: string; role: Role } {
  const { account = '' } = useParams({ strict: false });
  const membership = useMembership();
  return membership ?? { account, name: account, role: 'viewer' };
}
