import type { ReactNode } from 'react';
import { countFilters, filtersOf, LISTED } from '../../api/invoice-filters.ts';
import type { Mode } from '../../api/home-queries.ts';
import type { ListedStatus } from '../../api/invoice-search.ts';
import { networkOf, PAYABLE } from '../../api/networks.ts';
import type { Store } from '../../api/queries.ts';
import { openPalette } from '../../frame/find.ts';
import { useWords } from '../../language/words.ts';
import { ChoiceChip, FilterBar } from '../../parts/filter-chip.tsx';
import { Icon } from '../../parts/icon.tsx';
import { AmountChip } from './amount-chip.tsx';
import { TimeChip } from './time-chip.tsx';
import { useInvoiceSearch } from './use-invoice-list.ts';

const TOKENS = [...new Set(PAYABLE.flatMap(({ tokens }) => tokens))];

/** Searches for an invoice by any fact, using the palette. */
function FindField(): ReactNode {
  const t = useWords();
  return (
    <div className="f-wrap">
      <button type="button" className="f find-field" onClick={openPalette}>
        <Icon name="search" />
        <span className="clip">{t('invoices.find')}</span>
        <kbd aria-hidden="true" className="ph-hide">
          /
        </kbd>
      </button>
    </div>
  );
}

/** Filters of the list, kept in its URL. */
export function InvoiceFilterBar({ stores }: { stores: readonly Store[] }): ReactNode {
  const t = useWords();
  const { search, change, clear } = useInvoiceSearch();
  const set = (next: Parameters<typeof change>[0]) => change({ ...next, after: undefined });
  const hasModes = search.mode !== undefined || new Set(stores.map(({ mode }) => mode)).size > 1;
  return (
    <FilterBar count={countFilters(filtersOf(search))} onClear={clear} before={<FindField />}>
      <TimeChip times={search} onChange={set} />
      <ChoiceChip
        name={t('filter.status')}
        value={search.status}
        options={LISTED.map((value) => ({ value, label: t(`status.${value}`) }))}
        onChange={(status) => set({ status: status as ListedStatus | undefined })}
      />
      {hasModes && (
        <ChoiceChip
          name={t('stores.mode')}
          value={search.mode}
          options={(['live', 'test'] as const).map((value) => ({ value, label: t(`mode.${value}`) }))}
          onChange={(mode) => set({ mode: mode as Mode | undefined })}
        />
      )}
      {stores.length > 1 && (
        <ChoiceChip
          name={t('stores.name')}
          value={search.store}
          options={stores.map(({ merchant_id: value, name }) => ({ value, label: name }))}
          onChange={(store) => set({ store })}
        />
      )}
      <ChoiceChip
        name={t('filter.network')}
        value={search.network === undefined ? undefined : networkOf(search.network).id}
        options={PAYABLE.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(network) => set({ network })}
      />
      <ChoiceChip
        name={t('filter.token')}
        value={search.token}
        options={TOKENS.map((value) => ({ value, label: value }))}
        onChange={(token) => set({ token })}
      />
      <AmountChip amounts={search} onChange={set} />
      <ChoiceChip
        name={t('filter.webhook')}
        value={search.callback}
        options={[{ value: 'failed', label: t('invoices.callbackFailed') }]}
        onChange={(value) => set({ callback: value === undefined ? undefined : 'failed' })}
      />
    </FilterBar>
  );
}
