import { useLingui } from '@lingui/react';
import type { ReactNode } from 'react';
import { useFigures } from '../../language/figures.ts';
import { dateLocale } from '../../language/language.ts';
import { useWords } from '../../language/words.ts';
import { Usd } from '../../parts/amount.tsx';
import { PlaceLink } from '../../parts/place-link.tsx';
import type { DaySum } from './day-sums.ts';
import { momentsOf } from './span.ts';

/** Formats a UTC day in the reader's language. */
export function useDayText(): (day: string) => string {
  const { i18n } = useLingui();
  const format = new Intl.DateTimeFormat(dateLocale(i18n.locale), {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
    numberingSystem: 'latn',
  });
  return (day) => format.format(new Date(day));
}

type DayTableProps = { days: readonly DaySum[]; today: string; account: string; store: string | undefined };

export function DayTable({ days, today, account, store }: DayTableProps): ReactNode {
  const t = useWords();
  const { count } = useFigures();
  const dayText = useDayText();
  return (
    <div className="day-table" tabIndex={0} role="region" aria-label={t('home.table')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('home.day')}</th>
            <th scope="col" className="end">
              {t('home.paymentsHead')}
            </th>
            <th scope="col" className="end">
              {t('home.volume')}
            </th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, completed, volume }) => (
            <tr key={day}>
              <th scope="row">
                <PlaceLink
                  className="underline underline-offset-3"
                  path={`/m/${account}/invoices`}
                  search={{ status: 'completed', ...momentsOf(day, day), store }}
                >
                  {dayText(day)}
                </PlaceLink>
                {day === today && <span className="quiet"> · {t('home.todaySoFar')}</span>}
              </th>
              <td className="end num">{count(completed)}</td>
              <td className="end">
                <Usd amount={volume} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
