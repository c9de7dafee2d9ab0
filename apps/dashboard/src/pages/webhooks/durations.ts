import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { useLingui } from '@lingui/react';

export function useDuration(): (ms: number) => string {
  const { i18n } = useLingui();
  const write = (value: number, unit: 'millisecond' | 'second') =>
    new Intl.NumberFormat(i18n.locale, {
      style: 'unit',
      unit,
      unitDisplay: 'short',
      maximumFractionDigits: 1,
      numberingSystem: 'latn',
    }).format(value);
  return (ms) => (ms < SECOND_MS ? write(ms, 'millisecond') : write(ms / SECOND_MS, 'second'));
}
