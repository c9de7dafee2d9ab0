import type { Role } from '@counterfoil/core/permission.ts';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { storesQuery } from '../../api/queries.ts';
import type { Arrival, UnmatchedSearch } from '../../api/unmatched-queries.ts';
import { unmatchedQuery } from '../../api/unmatched-queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { useWords } from '../../language/words.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ChoiceChip, ClearFilters, FilterBar } from '../../parts/filter-chip.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';
import { ArrivalList } from './arrival-list.tsx';
import { ArrivalPane } from './arrival-pane.tsx';

type OnSearch = (search: UnmatchedSearch) => void;

/** Waiting or dismissed, and by store. */
function Filters({
  account,
  search,
  onSearch,
}: {
  account: string;
  search: UnmatchedSearch;
  onSearch: OnSearch;
}): ReactNode {
  const t = useWords();
  const { data } = useQuery(storesQuery(account));
  const stores = (data?.stores ?? []).filter(({ mode }) => mode === 'live');
  const { store, show } = search;
  const ofStore = store === undefined ? {} : { store };
  const choices = [
    { title: t('unmatched.open'), search: ofStore, on: show === undefined },
    { title: t('unmatched.aside'), search: { ...ofStore, show: 'aside' as const }, on: show === 'aside' },
  ];
  const segments = (
    <nav className="seg" aria-label={t('unmatched.show')}>
      {choices.map((one) => (
        <Link
          key={one.title}
          to="/m/$account/unmatched"
          params={{ account }}
          search={one.search}
          activeOptions={{ exact: true, includeSearch: true }}
          {...(one.on && { 'aria-current': 'page' })}
        >
          {one.title}
        </Link>
      ))}
    </nav>
  );
  return (
    <FilterBar count={store === undefined ? 0 : 1} onClear={() => onSearch({})} before={segments}>
      {(stores.length > 1 || store !== undefined) && (
        <ChoiceChip
          name={t('unmatched.store')}
          value={store}
          options={stores.map((one) => ({ value: one.merchant_id, label: one.name }))}
          onChange={(chosen) => onSearch({ ...(show && { show }), ...(chosen !== undefined && { store: chosen }) })}
        />
      )}
    </FilterBar>
  );
}

function Nothing({
  account,
  search,
  more,
  onSearch,
}: {
  account: string;
  search: UnmatchedSearch;
  more: boolean;
  onSearch: OnSearch;
}): ReactNode {
  const t = useWords();
  if (search.store !== undefined) {
    const { store: _store, after: _after, ...rest } = search;
    const clear = <ClearFilters onClear={() => onSearch(rest)} />;
    return (
      <Empty icon="search" title={t('unmatched.noneFiltered')} actions={clear}>
        {t('unmatched.noneFilteredAbout')}
      </Empty>
    );
  }
  if (more || search.after !== undefined) {
    return (
      <Empty icon="inbox" title={t('unmatched.noneShown')}>
        {t('unmatched.noneShownAbout')}
      </Empty>
    );
  }
  return (
    <Empty
      icon="inbox"
      title={search.show === 'aside' ? t('unmatched.noneAside') : t('unmatched.none')}
      actions={
        <Link className={buttonClass()} to="/m/$account/invoices" params={{ account }}>
          {t('unmatched.toInvoices')}
        </Link>
      }
    >
      {t('unmatched.noneAbout')}
    </Empty>
  );
}

type InboxProps = {
  account: string;
  role: Role;
  arrivals: readonly Arrival[];
  transfer: string | undefined;
  search: UnmatchedSearch;
  pager: ReactNode;
};

function Inbox({ account, role, arrivals, transfer, search, pager }: InboxProps): ReactNode {
  const t = useWords();
  const selected = transfer ?? arrivals[0]?.transfer;
  return (
    <div className={`inbox${transfer === undefined ? '' : ' inbox-open'}`}>
      <div className="inbox-side">
        {arrivals.length === 0 && <p className="card-pad quiet">{t('unmatched.none')}</p>}
        <ArrivalList account={account} arrivals={arrivals} selected={selected} search={search} />
        {pager}
      </div>
      {selected !== undefined && (
        <ArrivalPane
          key={selected}
          account={account}
          transfer={selected}
          listed={arrivals.find((one) => one.transfer === selected)}
          role={role}
          search={search}
        />
      )}
    </div>
  );
}

/** Unmatched payments: the list with one open beside it; on a phone a second step. */
export function UnmatchedPage(): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const { account, role } = useAccount();
  const search = useSearch({ from: '/signed-in/m/$account/unmatched' });
  const { transfer } = useParams({ strict: false });
  const query = useQuery(unmatchedQuery(account, search));
  const onSearch: OnSearch = (next) =>
    void navigate({ to: '/m/$account/unmatched', params: { account }, search: next });
  const isOpen = transfer !== undefined;
  return (
    <>
      <div className={isOpen ? 'inbox-above' : undefined}>
        <PageHead title={t('unmatched.title')} about={t('unmatched.about')} />
      </div>
      <div className={isOpen ? 'ph-hide' : undefined}>
        <Filters account={account} search={search} onSearch={onSearch} />
      </div>
      <Loaded query={query} role={role} permission="invoice.see">
        {({ transfers, next, more }) => {
          const { after, ...rest } = search;
          const pager = (after !== undefined || next !== null) && (
            <Pager
              after={after}
              next={next}
              onPage={(to) => onSearch({ ...rest, ...(to !== undefined && { after: to }) })}
            />
          );
          return isOpen || transfers.length > 0 ? (
            <Inbox
              account={account}
              role={role}
              arrivals={transfers}
              transfer={transfer}
              search={search}
              pager={pager}
            />
          ) : (
            <>
              <Nothing account={account} search={search} more={more} onSearch={onSearch} />
              {pager}
            </>
          );
        }}
      </Loaded>
    </>
  );
}
