import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazy, Suspense } from 'react';
import type { Home, Mode } from '../../api/home-queries.ts';
import { homeQuery } from '../../api/home-queries.ts';
import { storesQuery } from '../../api/queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { TestFrame } from '../../frame/test-frame.tsx';
import { useWords } from '../../language/words.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ApprovalNote } from '../approval-note.tsx';
import { FactorNote } from '../factor-note.tsx';
import { Attention } from './attention.tsx';
import { FigureRow } from './figure-row.tsx';
import type { Range } from './span.ts';
import { RANGES } from './span.ts';

const DayCards = lazy(async () => ({ default: (await import('./day-cards.tsx')).DayCards }));
const LatestInvoices = lazy(async () => ({ default: (await import('./latest-invoices.tsx')).LatestInvoices }));
const FirstSteps = lazy(async () => ({ default: (await import('./first-steps.tsx')).FirstSteps }));

function RangeSwitch({ range }: { range: Range }): ReactNode {
  const t = useWords();
  return (
    <div className="seg" role="group" aria-label={t('home.range')}>
      {RANGES.map((one) => (
        <Link
          key={one}
          to="."
          search={(search) => Object.assign({}, search, { range: one })}
          replace
          {...(one === range && { 'aria-current': true })}
        >
          {t(`home.${one}`)}
        </Link>
      ))}
    </div>
  );
}

type LivingProps = { home: Home; account: string; mode: Mode; range: Range };

function Living({ home, account, mode, range }: LivingProps): ReactNode {
  const stores = useQuery(storesQuery(account)).data?.stores ?? [];
  const shown = stores.filter((store) => store.mode === mode);
  return (
    <>
      <FigureRow figures={home[range]} account={account} stores={shown} range={range} />
      <div className="grid g-wide home-cards">
        <Suspense fallback={<div className="card chart-card" />}>
          <DayCards account={account} stores={shown} range={range} />
        </Suspense>
        <Attention home={home} account={account} stores={stores} />
      </div>
      <Suspense>
        <LatestInvoices account={account} stores={stores} mode={mode} />
      </Suspense>
    </>
  );
}

/** Whether the reader still needs the first steps. Choosing a mode shows figures. */
const isNew = ({ steps }: Home, mode: Mode | undefined) => mode === undefined && !steps.live_payment;

/** The first page after sign-in: payments and items that need attention, or the steps to a first payment. */
export function HomePage(): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const { range = 'month', mode } = useSearch({ from: '/signed-in/m/$account/' });
  const query = useQuery(homeQuery(account, mode ?? 'live'));
  const { data } = query;
  const fresh = data !== undefined && isNew(data, mode);
  return (
    <>
      {mode === 'test' && <TestFrame />}
      <PageHead
        title={fresh ? t('steps.title') : t('home.title')}
        {...(fresh && { about: t('steps.about') })}
        actions={data !== undefined && !fresh && <RangeSwitch range={range} />}
      />
      <ApprovalNote />
      {fresh && <FactorNote />}
      <Loaded query={query} role={role} permission="invoice.see" bones="figures">
        {(home) =>
          isNew(home, mode) ? (
            <Suspense>
              <FirstSteps home={home} account={account} role={role} />
            </Suspense>
          ) : (
            <Living home={home} account={account} mode={mode ?? 'live'} range={range} />
          )
        }
      </Loaded>
    </>
  );
}
