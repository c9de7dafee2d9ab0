import type { ReactNode } from 'react';
import { useState } from 'react';
import type { InvoiceFilters } from '../../api/invoice-search.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { FilterChip } from '../../parts/filter-chip.tsx';

type Amounts = { min_amount: string | undefined; max_amount: string | undefined };

const AMOUNT = /^\d{1,7}(?:\.\d{1,8})?$/;
const fits = (text: string) => text === '' || AMOUNT.test(text);
const written = (text: string) => text.trim().replace(',', '.');

function AmountForm({ amounts, onChange }: { amounts: Amounts; onChange: (next: Amounts) => void }): ReactNode {
  const t = useWords();
  const [least, setLeast] = useState(amounts.min_amount ?? '');
  const [most, setMost] = useState(amounts.max_amount ?? '');
  const [checked, setChecked] = useState(false);
  const fault = (text: string) => (checked && !fits(written(text)) ? t('fault.amount') : undefined);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setChecked(true);
        const [low, high] = [written(least), written(most)];
        if (!fits(low) || !fits(high)) return;
        onChange({ min_amount: low === '' ? undefined : low, max_amount: high === '' ? undefined : high });
      }}
    >
      <Field
        label={t('amount.least')}
        inputMode="decimal"
        value={least}
        fault={fault(least)}
        onChange={(event) => setLeast(event.target.value)}
      />
      <Field
        label={t('amount.most')}
        inputMode="decimal"
        value={most}
        fault={fault(most)}
        onChange={(event) => setMost(event.target.value)}
      />
      <Button type="submit" wide>
        {t('filter.apply')}
      </Button>
    </form>
  );
}

type AmountChipProps = {
  amounts: Pick<InvoiceFilters, 'min_amount' | 'max_amount'>;
  onChange: (next: Amounts) => void;
};

/** Invoice amounts in USD, from and to. */
export function AmountChip({ amounts: { min_amount: least, max_amount: most }, onChange }: AmountChipProps): ReactNode {
  const t = useWords();
  const { usd } = useMoney();
  const value =
    least !== undefined && most !== undefined
      ? t('amount.between', { least: usd(least), most: usd(most) })
      : least !== undefined
        ? t('amount.atLeast', { least: usd(least) })
        : most !== undefined
          ? t('amount.atMost', { most: usd(most) })
          : undefined;
  const none = { min_amount: undefined, max_amount: undefined };
  return (
    <FilterChip name={t('filter.amount')} value={value} onClear={() => onChange(none)}>
      {(close) => (
        <AmountForm
          amounts={{ min_amount: least, max_amount: most }}
          onChange={(next) => {
            onChange(next);
            close();
          }}
        />
      )}
    </FilterChip>
  );
}
