import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import { countFilters, filtersOf } from '../../api/invoice-filters.ts';
import type { ListedInvoice } from '../../api/invoice-queries.ts';
import { may } from '../../api/permission.ts';
import type { Store } from '../../api/queries.ts';
import { storesQuery } from '../../api/queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { TestFrame } from '../../frame/test-frame.tsx';
import { useWords } from '../../language/words.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Said, useOutcome } from '../../parts/copy.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ClearFilters } from '../../parts/filter-chip.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager, ZoneName } from '../../parts/pager.tsx';
import { InvoiceDrawer } from './invoice-drawer.tsx';
import { InvoiceFilterBar } from './invoice-filters.tsx';
import { InvoiceTable } from './invoice-table.tsx';
import { useInvoiceList, useInvoiceSearch } from './use-invoice-list.ts';
import { useListKeys } from './use-list-keys.ts';

const CreateInvoiceDialog = lazy(async () => ({
  default: (await import('./create-invoice-dialog.tsx')).CreateInvoiceDialog,
}));
const KeysDialog = lazy(async () => ({ default: (await import('../../frame/keys-dialog.tsx')).KeysDialog }));

/** The button that opens the dialog. The first invoice moves it from the empty list to the page's head. */
const CREATE_BUTTON = 'create-invoice';
const findCreateButton = () => document.querySelector<HTMLElement>(`#${CREATE_BUTTON}`);

function NothingHere({ create }: { create: ReactNode }): ReactNode {
  const t = useWords();
  const { search, clear } = useInvoiceSearch();
  const count = countFilters(filtersOf(search));
  if (count > 0 || search.after !== undefined) {
    return (
      <Empty icon="search" title={t('filter.none')} actions={<ClearFilters onClear={clear} />}>
        {t('filter.noneAbout', { count })}
      </Empty>
    );
  }
  return (
    <Empty icon="invoice" title={t('invoices.none')} actions={create}>
      {t('invoices.noneAbout')}
    </Empty>
  );
}

type RowsProps = {
  rows: readonly ListedInvoice[];
  stores: readonly Store[];
  next: string | null;
  fresh: number;
  showFresh: () => void;
  onKeys: () => void;
};

function Rows({ rows, stores, next, fresh, showFresh, onKeys }: RowsProps): ReactNode {
  const t = useWords();
  const { search, change } = useInvoiceSearch();
  return (
    <div className="card">
      <div role="status">
        {fresh > 0 && (
          <button type="button" className="fresh" onClick={showFresh}>
            {t('invoices.fresh', { count: fresh })}
          </button>
        )}
      </div>
      <InvoiceTable rows={rows} stores={stores} open={search.invoice} />
      <Pager after={search.after} next={next} onPage={(after) => change({ after })}>
        {t('invoices.shown', { count: rows.length })} · <ZoneName />{' '}
        <button type="button" className="keys-link ph-hide" onClick={onKeys}>
          {t('keys.title')}
        </button>
      </Pager>
    </div>
  );
}

export function InvoicesPage(): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const { search, change } = useInvoiceSearch();
  const [helping, setHelping] = useState(false);
  const { outcome, setOutcome } = useOutcome();
  const { data: storeData } = useQuery(storesQuery(account));
  const stores = storeData?.stores ?? [];
  const { query, rows, next, fresh, showFresh } = useInvoiceList(account, search);
  const copy = (code: string) => {
    navigator.clipboard.writeText(code).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    );
  };
  useListKeys({ rows, onCopy: copy });
  const mayCreate = may(role, 'invoice.create') && stores.length > 0;
  const toStores = storeData !== undefined && stores.length === 0 && (
    <Link className={buttonClass('main')} to="/m/$account/stores" params={{ account }}>
      {t('stores.go')}
    </Link>
  );
  const create = mayCreate && (
    <Button id={CREATE_BUTTON} look="main" icon="plus" onClick={() => change({ create: 'yes' })}>
      {t('invoices.create')}
    </Button>
  );
  const isEmpty = query.isSuccess && rows.length === 0;
  const isTest =
    search.mode === 'test' || stores.some(({ merchant_id: id, mode }) => id === search.store && mode === 'test');
  return (
    <>
      {isTest && <TestFrame />}
      <PageHead title={t('invoices.title')} actions={!(isEmpty && countFilters(filtersOf(search)) === 0) && create} />
      <InvoiceFilterBar stores={stores} />
      <Loaded query={query} role={role} permission="invoice.see" bones="table">
        {() =>
          isEmpty && next === null ? (
            <NothingHere create={toStores || create} />
          ) : (
            <Rows {...{ rows, stores, next, fresh, showFresh }} onKeys={() => setHelping(true)} />
          )
        }
      </Loaded>
      <Said outcome={outcome} />
      {search.invoice !== undefined && <InvoiceDrawer code={search.invoice} rows={rows} stores={stores} />}
      <Suspense>
        {search.create === 'yes' && mayCreate && (
          <CreateInvoiceDialog
            stores={stores}
            onClose={() => change({ create: undefined })}
            returnTo={findCreateButton}
          />
        )}
        {helping && <KeysDialog onClose={() => setHelping(false)} />}
      </Suspense>
    </>
  );
}
