import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { may } from '../../api/permission.ts';
import type { Store } from '../../api/queries.ts';
import { storesQuery } from '../../api/queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { TestFrame } from '../../frame/test-frame.tsx';
import { useWords } from '../../language/words.ts';
import { Icon } from '../../parts/icon.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { EmptyBalanceNote } from '../empty-balance-note.tsx';

export function useStore(id: string): Store | undefined {
  const { account } = useAccount();
  return useQuery(storesQuery(account)).data?.stores.find((one) => one.merchant_id === id);
}

/** Whether the reader has no such store, so that its pages do not exist. */
function useIsAbsent(id: string): boolean {
  const { account } = useAccount();
  const { data } = useQuery(storesQuery(account));
  return data !== undefined && !data.stores.some((one) => one.merchant_id === id);
}

export function StoreTabs({ id, isLive }: { id: string; isLive: boolean }): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const params = { account, store: id };
  const present = { 'aria-current': 'page' } as const;
  return (
    <Tabs label={t('store.pages')}>
      <Link to="/m/$account/stores/$store" params={params} activeOptions={{ exact: true }} activeProps={present}>
        {t('store.general')}
      </Link>
      {may(role, 'method.see') && (
        <Link to="/m/$account/stores/$store/methods" params={params} activeProps={present}>
          {t('store.methods')}
        </Link>
      )}
      <Link to="/m/$account/stores/$store/start" params={params} activeProps={present}>
        {t('store.connect')}
      </Link>
      <Link to="/m/$account/stores/$store/brand" params={params} activeProps={present}>
        {t('store.brand')}
      </Link>
      {may(role, 'api_key.use', isLive) && (
        <Link to="/m/$account/stores/$store/keys" params={params} activeProps={present}>
          {t('store.keys')}
        </Link>
      )}
    </Tabs>
  );
}

type StoreHeadProps = { id: string; about?: string; actions?: ReactNode };

export function StoreHead({ id, about, actions }: StoreHeadProps): ReactNode {
  const t = useWords();
  const { account } = useAccount();
  const store = useStore(id);
  const isAbsent = useIsAbsent(id);
  const back = (
    <Link className="crumb" to="/m/$account/stores" params={{ account }}>
      <Icon name="back" />
      {t('stores.title')}
    </Link>
  );
  return (
    <>
      {store?.mode === 'test' && <TestFrame />}
      <PageHead title={store?.name ?? id} {...(about !== undefined && { about })} before={back} actions={actions} />
      {!isAbsent && <StoreTabs id={id} isLive={store?.mode !== 'test'} />}
      {store?.mode === 'live' && <EmptyBalanceNote account={account} store={id} />}
    </>
  );
}
