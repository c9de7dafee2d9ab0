import { MINUTE_SECONDS, SECOND_MS } from '@counterfoil/core/duration.ts';
import { useLingui } from '@lingui/react';
import { useWords } from './words.ts';

/** Counts, shares and durations in the reader's language, with the same digits in all. */

const PERMILLE_PER_PERCENT = 10;
const MINUTES_PER_HOUR = 60;
/** Tenths of a second are shown below this. */
const EXACT_SECONDS = 10;

type Figures = {
  count: (value: number) => string;
  /** `91.8 %`, from tenths of a percent. */
  percent: (permille: number) => string;
  /** `96 ms`, `4.2 s`, `3 min`, `2 h`. */
  duration: (ms: number) => string;
};

export function useFigures(): Figures {
  const { i18n } = useLingui();
  const t = useWords();
  const write = (value: number, decimals: number) =>
    new Intl.NumberFormat(i18n.locale, {
      numberingSystem: 'latn',
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    }).format(value);
  return {
    count: (value) => write(value, 0),
    percent: (permille) => `${write(permille / PERMILLE_PER_PERCENT, 1)}\u00A0%`,
    duration: (ms) => {
      const seconds = ms / SECOND_MS;
      if (seconds < 1) return t('figures.milliseconds', { value: write(ms, 0) });
      if (seconds < MINUTE_SECONDS)
        return t('figures.seconds', { value: write(seconds, seconds < EXACT_SECONDS ? 1 : 0) });
      const minutes = seconds / MINUTE_SECONDS;
      if (minutes < MINUTES_PER_HOUR) return t('figures.minutes', { value: write(minutes, 0) });
      return t('figures.hours', { value: write(minutes / MINUTES_PER_HOUR, 0) });
    },
  };
}
