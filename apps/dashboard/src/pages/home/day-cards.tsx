import { useQueries } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazy, Suspense, useId, useState } from 'react';
import { daysQuery } from '../../api/home-queries.ts';
import type { Store } from '../../api/queries.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { LoadFailure } from '../../parts/loaded.tsx';
import type { DaySum } from './day-sums.ts';
import { sumByDay, sumByMethod } from './day-sums.ts';
import { DayTable } from './day-table.tsx';
import { MethodCard } from './method-card.tsx';
import { MAX_ADDED, spanOfRange } from './shown-days.ts';
import type { Range } from './span.ts';

const VolumeChart = lazy(async () => ({ default: (await import('./volume-chart.tsx')).VolumeChart }));

const ALL = '';

type StoreChoiceProps = { stores: readonly Store[]; chosen: string; onChange: (store: string) => void };

/** The store of the figures; all together only if that takes few requests. */
function StoreChoice({ stores, chosen, onChange }: StoreChoiceProps): ReactNode {
  const t = useWords();
  const id = useId();
  return (
    <span className="row">
      <label className="vh" htmlFor={id}>
        {t('home.ofStore')}
      </label>
      <select id={id} className="f f-s" value={chosen} onChange={(event) => onChange(event.target.value)}>
        {stores.length <= MAX_ADDED && <option value={ALL}>{t('home.allStores')}</option>}
        {stores.map((store) => (
          <option key={store.merchant_id} value={store.merchant_id}>
            {store.name}
          </option>
        ))}
      </select>
    </span>
  );
}

function ChartBody({ days, today }: { days: readonly DaySum[]; today: string }): ReactNode {
  const t = useWords();
  if (days.every(({ completed }) => completed === 0)) {
    return (
      <p className="chart-box chart-none quiet" role="status">
        {t('home.noVolume')}
      </p>
    );
  }
  return (
    <Suspense fallback={<div className="chart-box" />}>
      <VolumeChart days={days} today={today} />
    </Suspense>
  );
}

/** Shown stores: the chosen one, all, or the first. */
function useChosen(stores: readonly Store[]): {
  chosen: string;
  shown: readonly Store[];
  choose: (id: string) => void;
} {
  const navigate = useNavigate();
  const { store } = useSearch({ from: '/signed-in/m/$account/' });
  const found = stores.find((one) => one.merchant_id === store);
  const [first] = stores.length > MAX_ADDED ? stores : [];
  const one = found ?? first;
  const choose = (id: string) =>
    void navigate({
      to: '.',
      search: (search) => Object.assign({}, search, { store: id === ALL ? undefined : id }),
      replace: true,
    });
  return { chosen: one?.merchant_id ?? ALL, shown: one ? [one] : stores, choose };
}

type DayCardsProps = { account: string; stores: readonly Store[]; range: Range };

/** Received payments by day, and by network and token. */
export function DayCards({ account, stores, range }: DayCardsProps): ReactNode {
  const t = useWords();
  const id = useId();
  const [asTable, setAsTable] = useState(false);
  const { chosen, shown, choose } = useChosen(stores);
  const { today, from, chartFrom, start } = spanOfRange(range);
  const span = { from: start, to: today };
  const answers = useQueries({ queries: shown.map((store) => daysQuery(account, store.merchant_id, span)) });
  const failed = answers.find(({ error, data }) => error !== null && data === undefined);
  if (failed) return <LoadFailure cause={failed.error} retry={() => void failed.refetch()} />;
  const isLoading = answers.some(({ data }) => data === undefined);
  const loaded = answers.flatMap(({ data }) => (data ? [data] : []));
  const days = sumByDay(loaded, chartFrom, today);
  const store = chosen === ALL ? undefined : chosen;
  return (
    <div className="stack chart-side">
      <section className="card chart-card" aria-labelledby={id} aria-busy={isLoading}>
        <div className="card-head row-wrap">
          <h2 id={id}>{t('home.perDay')}</h2>
          <span className="row row-wrap gap-4">
            <span className="key">{t('home.paidUsd')}</span>
            <span className="key key-part">{t('home.todaySoFar')}</span>
            {stores.length > 1 && <StoreChoice stores={stores} chosen={chosen} onChange={choose} />}
          </span>
        </div>
        <div className="px-5 pb-3">
          {isLoading ? <div className="chart-box" /> : !asTable && <ChartBody days={days} today={today} />}
          {asTable && !isLoading && <DayTable days={days} today={today} account={account} store={store} />}
        </div>
        <div className="chart-foot">
          <Button look="quiet" small aria-expanded={asTable} onClick={() => setAsTable(!asTable)}>
            {asTable ? t('home.showChart') : t('home.showTable')}
          </Button>
          <span className="tiny quiet">{t('home.utc')}</span>
        </div>
      </section>
      <MethodCard methods={sumByMethod(loaded, from)} account={account} store={store} span={{ from, to: today }} />
    </div>
  );
}
