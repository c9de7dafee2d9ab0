import { EVENT_TYPES } from '@counterfoil/core/event-type.ts';
import type { ReactNode } from 'react';
import type { Store } from '../../api/queries.ts';
import type { DeliverySearch } from '../../api/webhook-queries.ts';
import { ANSWER_CLASSES, DELIVERY_STATES } from '../../api/webhook-queries.ts';
import { useWords } from '../../language/words.ts';
import { ChoiceChip, FilterBar } from '../../parts/filter-chip.tsx';
import { shortUrl } from './delivery-table.tsx';
import { RangeChip } from './range-chip.tsx';

type FiltersProps = {
  search: DeliverySearch;
  stores: readonly Store[];
  onSearch: (search: DeliverySearch) => void;
};

const LIMITING = ['state', 'http', 'type', 'url', 'endpoint', 'store'] as const;

export const countFilters = (search: DeliverySearch): number =>
  LIMITING.filter((name) => search[name] !== undefined).length +
  (search.from === undefined && search.to === undefined ? 0 : 1);

export function DeliveryFilters({ search, stores, onSearch }: FiltersProps): ReactNode {
  const t = useWords();
  const set = (change: { [Key in keyof DeliverySearch]?: DeliverySearch[Key] | undefined }) => {
    const merged = Object.entries({ ...search, ...change, after: undefined });
    onSearch(Object.fromEntries(merged.filter(([, value]) => value !== undefined)));
  };
  return (
    <FilterBar count={countFilters(search)} onClear={() => onSearch({})}>
      <RangeChip search={search} onChange={set} />
      <ChoiceChip
        name={t('hooks.state')}
        value={search.state}
        options={DELIVERY_STATES.map((value) => ({ value, label: t(`delivery.${value}`) }))}
        onChange={(value) => set({ state: value as DeliverySearch['state'] })}
      />
      <ChoiceChip
        name={t('hooks.event')}
        value={search.type}
        options={EVENT_TYPES.map((value) => ({ value, label: value }))}
        onChange={(value) => set({ type: value as DeliverySearch['type'] })}
      />
      <ChoiceChip
        name={t('hooks.code')}
        value={search.http}
        options={ANSWER_CLASSES.map((value) => ({ value, label: t(`answer.class.${value}`) }))}
        onChange={(value) => set({ http: value as DeliverySearch['http'] })}
      />
      {(stores.length > 1 || search.store !== undefined) && (
        <ChoiceChip
          name={t('hooks.store')}
          value={search.store}
          options={stores.map((one) => ({ value: one.merchant_id, label: one.name }))}
          onChange={(value) => set({ store: value })}
        />
      )}
      {search.endpoint !== undefined && (
        <ChoiceChip
          name={t('endpoint.one')}
          value={search.endpoint}
          options={[{ value: search.endpoint, label: search.endpoint }]}
          onChange={(value) => set({ endpoint: value })}
        />
      )}
      {search.url !== undefined && (
        <ChoiceChip
          name={t('hooks.address')}
          value={search.url}
          options={[{ value: search.url, label: shortUrl(search.url) }]}
          onChange={(value) => set({ url: value })}
        />
      )}
    </FilterBar>
  );
}
