import { DAY_MS, SECOND_MS } from '@counterfoil/core/duration.ts';
import { useLingui } from '@lingui/react';
import { dateLocale } from './language.ts';
import { useWords } from './words.ts';

const MINUTES_PER_HOUR = 60;

const dateOf = (seconds: number) => new Date(seconds * SECOND_MS);

const dayOf = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

type Moments = {
  /** For lists: `Today 09:08`, `14 Nov 22:10`, with the year in other years. */
  short: (seconds: number) => string;
  /** The same within a sentence: `today 09:08`. */
  within: (seconds: number) => string;
  /** The same without the time. */
  day: (seconds: number) => string;
  /** For pages: day, time and zone. */
  long: (seconds: number) => string;
  clock: (seconds: number) => string;
  /** Machine-readable. */
  iso: (seconds: number) => string;
  /** Time left: `17 h 42 min`. */
  left: (seconds: number, nowMs: number) => string;
};

export function useMoments(): Moments {
  const { i18n } = useLingui();
  const t = useWords();
  const write = (date: Date, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(dateLocale(i18n.locale), { hourCycle: 'h23', ...options }).format(date);
  const dayText = (date: Date) => {
    const now = new Date();
    const days = Math.round((dayOf(now) - dayOf(date)) / DAY_MS);
    if (days === 0) return t('time.today');
    if (days === 1) return t('time.yesterday');
    if (days === -1) return t('time.tomorrow');
    const year = date.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const);
    return write(date, { day: 'numeric', month: 'short', ...year });
  };
  const hour = (date: Date) => write(date, { hour: '2-digit', minute: '2-digit' });
  return {
    short: (seconds) => `${dayText(dateOf(seconds))} ${hour(dateOf(seconds))}`,
    within: (seconds) => {
      const text = dayText(dateOf(seconds));
      const isWord = !/\d/.test(text);
      return `${isWord ? text.toLocaleLowerCase(i18n.locale) : text} ${hour(dateOf(seconds))}`;
    },
    day: (seconds) => dayText(dateOf(seconds)),
    long: (seconds) =>
      write(dateOf(seconds), {
        day: 'numeric',
        month: 'short',
        year: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
        timeZoneName: 'short',
      }),
    clock: (seconds) => write(dateOf(seconds), { hour: '2-digit', minute: '2-digit', second: '2-digit' }),
    iso: (seconds) => dateOf(seconds).toISOString(),
    left: (seconds, nowMs) => {
      const minutes = Math.max(0, Math.ceil((seconds * SECOND_MS - nowMs) / SECOND_MS / MINUTES_PER_HOUR));
      const hours = Math.floor(minutes / MINUTES_PER_HOUR);
      const rest = minutes % MINUTES_PER_HOUR;
      if (hours === 0) return t('time.minutes', { rest });
      return rest === 0 ? t('time.fullHours', { hours }) : t('time.hours', { hours, rest });
    },
  };
}
