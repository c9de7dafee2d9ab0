import { MINUTE_MS, SECOND_MS } from '@counterfoil/core/duration.ts';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { SPANS } from '../../api/invoice-filters.ts';
import type { InvoiceFilters, Span } from '../../api/invoice-search.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { FilterChip } from '../../parts/filter-chip.tsx';
import { Icon } from '../../parts/icon.tsx';

type Times = Pick<InvoiceFilters, 'from' | 'to' | 'last'>;
type Chosen = { [Key in keyof Times]-?: Times[Key] | undefined };

const MINUTE_LETTERS = 16;
const NONE: Chosen = { from: undefined, to: undefined, last: undefined };

/** A moment for the browser's field, in the reader's time zone. */
function fieldText(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  const date = new Date(seconds * SECOND_MS);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS);
  return local.toISOString().slice(0, MINUTE_LETTERS);
}

function fieldSeconds(text: string): number | undefined {
  const ms = new Date(text).getTime();
  return Number.isNaN(ms) ? undefined : Math.floor(ms / SECOND_MS);
}

function RangeForm({ times, onChange }: { times: Times; onChange: (times: Chosen) => void }): ReactNode {
  const t = useWords();
  const [from, setFrom] = useState(fieldText(times.from));
  const [to, setTo] = useState(fieldText(times.to));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChange({ from: fieldSeconds(from), to: fieldSeconds(to), last: undefined });
      }}
    >
      <Field
        label={t('time.from')}
        type="datetime-local"
        value={from}
        onChange={(event) => setFrom(event.target.value)}
      />
      <Field label={t('time.to')} type="datetime-local" value={to} onChange={(event) => setTo(event.target.value)} />
      <Button type="submit" wide>
        {t('filter.apply')}
      </Button>
    </form>
  );
}

/** Creation time: a period that ends now, or from and to. */
export function TimeChip({ times, onChange }: { times: Times; onChange: (times: Chosen) => void }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { from, to, last } = times;
  const parts = [
    last !== undefined && t(`span.${last}`),
    from !== undefined && t('time.since', { time: moments.within(from) }),
    to !== undefined && t('time.until', { time: moments.within(to) }),
  ].filter((part) => part !== false);
  return (
    <FilterChip
      name={t('filter.time')}
      value={parts.length === 0 ? undefined : parts.join(' ')}
      onClear={() => onChange(NONE)}
    >
      {(close) => (
        <>
          <ul>
            {(Object.keys(SPANS) as Span[]).map((span) => (
              <li key={span}>
                <button
                  type="button"
                  className="chip-choice"
                  aria-pressed={span === last}
                  onClick={() => {
                    onChange({ ...NONE, last: span });
                    close();
                  }}
                >
                  <span className="clip">{t(`span.${span}`)}</span>
                  {span === last && <Icon name="check" />}
                </button>
              </li>
            ))}
          </ul>
          <RangeForm
            times={times}
            onChange={(chosen) => {
              onChange(chosen);
              close();
            }}
          />
        </>
      )}
    </FilterChip>
  );
}
