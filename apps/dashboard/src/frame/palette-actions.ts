import type { Role } from '@counterfoil/core/permission.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { may } from '../api/permission.ts';
import type { Store } from '../api/queries.ts';
import { storesQuery } from '../api/queries.ts';
import { useWords } from '../language/words.ts';
import type { IconName } from '../parts/icon.tsx';
import { useReachedMembership } from './membership.ts';

export type Entry = {
  key: string;
  label: string;
  about?: string;
  icon: IconName;
  /** Other words by which it is found. */
  words?: string;
  /** Listed only when searched for. */
  sought?: boolean;
  run: () => void;
};

const sought = true;

/** Actions of a store, found by what people call them. */
function useStoreActions(): (account: string, role: Role, store: Store) => Entry[] {
  const t = useWords();
  const navigate = useNavigate();
  return (account, role, { merchant_id: store, name, mode }) => {
    const isLive = mode === 'live';
    const params = { account, store };
    const actions: (Entry | false)[] = [
      isLive &&
        may(role, 'balance.top_up') && {
          key: `topup ${store}`,
          label: t('find.topUp', { name }),
          words: t('find.topUpWords'),
          icon: 'balance',
          sought,
          run: () => void navigate({ to: '/m/$account/balance/$store', params, search: { topup: 'new' } }),
        },
      may(role, 'api_key.use', isLive) && {
        key: `keys ${store}`,
        label: t('find.keys', { name }),
        words: t('find.keysWords'),
        icon: 'key',
        sought,
        run: () => void navigate({ to: '/m/$account/stores/$store/keys', params }),
      },
      may(role, 'method.change', isLive) && {
        key: `wallet ${store}`,
        label: t('find.wallet', { name }),
        words: t('find.walletWords'),
        icon: 'balance',
        sought,
        run: () => void navigate({ to: '/m/$account/stores/$store/methods', params }),
      },
      {
        key: `connect ${store}`,
        label: t('find.connect', { name }),
        words: t('find.connectWords'),
        icon: 'link',
        sought,
        run: () => void navigate({ to: '/m/$account/stores/$store/start', params }),
      },
    ];
    return actions.filter((one): one is Entry => one !== false);
  };
}

/** Actions of a merchant and its stores. */
export function useActions(): Entry[] {
  const t = useWords();
  const navigate = useNavigate();
  const actionsOf = useStoreActions();
  const present = useReachedMembership();
  const account = present?.account ?? '';
  const { data } = useQuery({ ...storesQuery(account), enabled: account !== '' });
  if (!present) return [];
  const { role } = present;
  const actions: (Entry | false)[] = [
    may(role, 'team.change') && {
      key: 'invite',
      label: t('find.invite'),
      words: t('find.inviteWords'),
      icon: 'team',
      sought,
      run: () => void navigate({ to: '/m/$account/team', params: { account } }),
    },
    may(role, 'export.make') && {
      key: 'export',
      label: t('find.export'),
      words: t('find.exportWords'),
      icon: 'export',
      sought,
      run: () => void navigate({ to: '/m/$account/exports', params: { account }, search: { new: 'invoices' } }),
    },
    may(role, 'delivery.use') && {
      key: 'test-event',
      label: t('find.testEvent'),
      words: t('find.testEventWords'),
      icon: 'hook',
      sought,
      run: () => void navigate({ to: '/m/$account/webhooks', params: { account } }),
    },
    ...(data?.stores ?? []).flatMap((store) => actionsOf(account, role, store)),
  ];
  return actions.filter((one): one is Entry => one !== false);
}
