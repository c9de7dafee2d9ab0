import type { Role } from '@counterfoil/core/permission.ts';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Me } from '../api/queries.ts';
import { meQuery } from '../api/queries.ts';

export type Membership = Me['accounts'][number];

const STORED = 'counterfoil.account';

export const useMe = (): Me => useSuspenseQuery(meQuery).data;

export const rememberAccount = (account: string): void => localStorage.setItem(STORED, account);

/** The initial merchant: the last viewed, or the first. */
export function firstAccount({ accounts }: Pick<Me, 'accounts'>): Membership | undefined {
  const stored = localStorage.getItem(STORED);
  return accounts.find(({ account }) => account === stored) ?? accounts[0];
}

/** The page's merchant; on personal pages the last viewed. */
export function useMembership(): Membership | undefined {
  const { data: me } = useQuery(meQuery);
  const { account } = useParams({ strict: false });
  if (!me) return undefined;
  return account === undefined ? firstAccount(me) : me.accounts.find((one) => one.account === account);
}

/** Whether the reader has no access until they set up two-factor. */
const lacksTwoFactor = (me: Pick<Me, 'has_factor'> | undefined, membership: Membership | undefined): boolean =>
  membership?.two_factor_required === true && me?.has_factor === false;

/** As `useMembership`; undefined without access. */
export function useReachedMembership(): Membership | undefined {
  const { data: me } = useQuery(meQuery);
  const present = useMembership();
  return lacksTwoFactor(me, present) ? undefined : present;
}

/** Merchant and role on a page below `/m/`. A stranger sees what a viewer sees. */
export function useAccount(): { account: string; name: string; role: Role } {
  const { account = '' } = useParams({ strict: false });
  const membership = useMembership();
  return membership ?? { account, name: account, role: 'viewer' };
}
