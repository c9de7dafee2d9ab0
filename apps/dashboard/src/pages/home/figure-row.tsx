import { sumUsd } from '@counterfoil/core/usd.ts';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Home } from '../../api/home-queries.ts';
import { daysQuery } from '../../api/home-queries.ts';
import type { Store } from '../../api/queries.ts';
import { useFigures } from '../../language/figures.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { PlaceLink } from '../../parts/place-link.tsx';
import { changePermille, sumByDay } from './day-sums.ts';
import { MAX_ADDED, spanOfRange } from './shown-days.ts';
import type { Range } from './span.ts';
import { momentsOf } from './span.ts';

type Figure = Home['month'];

/** Change of volume against the previous period; undefined for too many stores. */
function useChange(account: string, stores: readonly Store[], range: Range): number | undefined {
  const { before, from, today, start } = spanOfRange(range);
  const isAsked = stores.length <= MAX_ADDED;
  const queries = stores.map(({ merchant_id: store }) => ({
    ...daysQuery(account, store, { from: start, to: today }),
    enabled: isAsked,
  }));
  const answers = useQueries({ queries });
  if (!isAsked || answers.some(({ data }) => data === undefined)) return undefined;
  const days = answers.flatMap(({ data }) => (data ? [data] : []));
  const volume = (first: string, last: string) => sumUsd(sumByDay(days, first, last).map((one) => one.volume));
  // An unfinished day is not comparable with a whole one.
  return range === 'today' ? undefined : changePermille(volume(from, today), volume(before.from, before.to));
}

function Change({ permille, range }: { permille: number; range: Range }): ReactNode {
  const t = useWords();
  const { percent } = useFigures();
  const amount = percent(Math.abs(permille));
  return (
    <>
      <bdi className={permille > 0 ? 'up' : 'strong'} dir="ltr">
        {permille === 0 ? amount : `${permille < 0 ? '↓' : '↑'} ${amount}`}
      </bdi>{' '}
      {range === 'week' ? t('home.beforeWeek') : t('home.beforeMonth')}
    </>
  );
}

type FigureLinkProps = {
  label: string;
  value: string;
  about: ReactNode;
  account: string;
  search: Record<string, string | number | undefined>;
};

function FigureLink({ label, value, about, account, search }: FigureLinkProps): ReactNode {
  return (
    <PlaceLink className="fig" path={`/m/${account}/invoices`} search={search}>
      <span className="k">{label}</span>
      <span className="v">
        <bdi>{value}</bdi>
      </span>
      <span className="d">{about}</span>
    </PlaceLink>
  );
}

type FigureRowProps = { figures: Figure; account: string; stores: readonly Store[]; range: Range };

/** Four figures of a period, linked to their invoices. */
export function FigureRow({ figures, account, stores, range }: FigureRowProps): ReactNode {
  const t = useWords();
  const { usd } = useMoney();
  const { count, percent, duration } = useFigures();
  const change = useChange(account, stores, range);
  const { from, today } = spanOfRange(range);
  // The list shows all stores or one: with a single store of this mode it matches the count.
  const [only] = stores.length === 1 ? stores : [];
  const span = { ...momentsOf(from, today), store: only?.merchant_id };
  const paid = { ...span, status: 'completed' };
  const { completed, expired, cancelled, success_permille: success, volume_usd: volume, detect, final } = figures;
  const timeAbout = (p95: number | null) =>
    p95 === null ? t('home.noPayments') : t('home.p95', { time: duration(p95) });
  return (
    <div className="figs">
      <FigureLink
        label={t('home.volume')}
        value={usd(volume)}
        about={
          change === undefined ? (
            t('home.payments', { count: completed, number: count(completed) })
          ) : (
            <Change permille={change} range={range} />
          )
        }
        account={account}
        search={paid}
      />
      <FigureLink
        label={t('home.success')}
        value={success === null ? '–' : percent(success)}
        about={
          success === null
            ? t('home.noneEnded')
            : t(cancelled > 0 ? 'home.paidOfCancelled' : 'home.paidOf', {
                paid: count(completed),
                ended: count(completed + expired),
                cancelled: count(cancelled),
              })
        }
        account={account}
        search={span}
      />
      <FigureLink
        label={t('home.detect')}
        value={detect.median_ms === null ? '–' : duration(detect.median_ms)}
        about={timeAbout(detect.p95_ms)}
        account={account}
        search={paid}
      />
      <FigureLink
        label={t('home.final')}
        value={final.median_ms === null ? '–' : duration(final.median_ms)}
        about={timeAbout(final.p95_ms)}
        account={account}
        search={paid}
      />
    </div>
  );
}
