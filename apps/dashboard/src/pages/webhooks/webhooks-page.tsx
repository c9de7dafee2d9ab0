import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import type { Answer } from '../../api/call.ts';
import { may } from '../../api/permission.ts';
import type { Store } from '../../api/queries.ts';
import { storesQuery } from '../../api/queries.ts';
import type { DeliverySearch } from '../../api/webhook-queries.ts';
import { deliveriesQuery } from '../../api/webhook-queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { useWords } from '../../language/words.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ClearFilters } from '../../parts/filter-chip.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager, ZoneName } from '../../parts/pager.tsx';
import { countFilters, DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { EndpointSection } from './endpoint-section.tsx';
import { ReceiverCards } from './receiver-cards.tsx';
import { SecretSection } from './secret-section.tsx';

const TestEventDialog = lazy(async () => ({ default: (await import('./test-event-dialog.tsx')).TestEventDialog }));
const ReplayDialog = lazy(async () => ({ default: (await import('./replay-dialog.tsx')).ReplayDialog }));

type Chosen = { store: string; url: string };
type Open = { dialog: 'test'; chosen?: Chosen } | { dialog: 'replay' } | undefined;

type DeliveryPage = Answer<'GET /accounts/{account}/deliveries'>;

/** Whether there is nothing at all, regardless of filters. */
const isBareList = ({ deliveries, more }: DeliveryPage, search: DeliverySearch): boolean =>
  deliveries.length === 0 && !more && search.after === undefined && countFilters(search) === 0;

function Nothing({
  search,
  more,
  onClear,
  onTest,
}: {
  search: DeliverySearch;
  more: boolean;
  onClear: () => void;
  onTest: ReactNode;
}): ReactNode {
  const t = useWords();
  const count = countFilters(search);
  if (count === 0 && !more && search.after === undefined) {
    return (
      <Empty icon="hook" title={t('hooks.none')} actions={onTest}>
        {t('hooks.noneAbout')}
      </Empty>
    );
  }
  return (
    <Empty icon="search" title={t('filter.none')} actions={count > 0 && <ClearFilters onClear={onClear} />}>
      {more ? t('hooks.noneShownAbout') : t('filter.noneAbout', { count })}
    </Empty>
  );
}

type ContentProps = {
  account: string;
  search: DeliverySearch;
  page: DeliveryPage;
  stores: readonly Store[];
  onSearch: (search: DeliverySearch) => void;
  test: ReactNode;
};

function Deliveries({ account, search, page, stores, onSearch, test }: ContentProps): ReactNode {
  const { after, ...rest } = search;
  const { deliveries, next, more } = page;
  const isBare = isBareList(page, search);
  const pager = (
    <Pager after={after} next={next} onPage={(to) => onSearch({ ...rest, ...(to !== undefined && { after: to }) })}>
      <ZoneName />
    </Pager>
  );
  return (
    <>
      {!isBare && <DeliveryFilters search={search} stores={stores} onSearch={onSearch} />}
      {deliveries.length === 0 ? (
        <>
          <Nothing search={search} more={more} onClear={() => onSearch({})} onTest={test} />
          {more && pager}
        </>
      ) : (
        <DeliveryTable account={account} deliveries={deliveries} stores={stores} pager={pager} />
      )}
    </>
  );
}

/** Webhook deliveries and their outcome. */
export function WebhooksPage(): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const { account, role } = useAccount();
  const search = useSearch({ from: '/signed-in/m/$account/webhooks' });
  const [open, setOpen] = useState<Open>();
  const query = useQuery(deliveriesQuery(account, search));
  const { data: storeData } = useQuery(storesQuery(account));
  const stores = storeData?.stores ?? [];
  const onSearch = (next: DeliverySearch) =>
    void navigate({ to: '/m/$account/webhooks', params: { account }, search: next });
  const mayUse = may(role, 'delivery.use') && stores.length > 0;
  const onTest = mayUse ? (chosen: Chosen) => setOpen({ dialog: 'test', chosen }) : undefined;
  const close = () => setOpen(undefined);
  const test = mayUse && (
    <Button look="main" icon="send" onClick={() => setOpen({ dialog: 'test' })}>
      {t('hooks.test')}
    </Button>
  );
  const toStores = storeData !== undefined && stores.length === 0 && (
    <Link className={buttonClass('main')} to="/m/$account/stores" params={{ account }}>
      {t('stores.go')}
    </Link>
  );
  const actions = mayUse && query.data && !isBareList(query.data, search) && (
    <>
      <Button icon="refresh" onClick={() => setOpen({ dialog: 'replay' })}>
        {t('hooks.replay')}
      </Button>
      {test}
    </>
  );
  return (
    <>
      <PageHead title={t('webhooks.title')} about={t('hooks.about')} actions={actions} />
      <Loaded query={query} role={role} permission="delivery.see" bones="table">
        {(page) => (
          <>
            <ReceiverCards account={account} stores={stores} onTest={onTest} />
            <Deliveries {...{ account, search, page, stores, onSearch }} test={toStores || test} />
            {stores.length > 0 && <EndpointSection account={account} role={role} stores={stores} />}
            {stores.length > 0 && <SecretSection account={account} role={role} stores={stores} />}
          </>
        )}
      </Loaded>
      <Suspense>
        {open?.dialog === 'test' && (
          <TestEventDialog account={account} stores={stores} chosen={open.chosen} onClose={close} />
        )}
        {open?.dialog === 'replay' && (
          <ReplayDialog account={account} stores={stores} first={search.store} onClose={close} />
        )}
      </Suspense>
    </>
  );
}
