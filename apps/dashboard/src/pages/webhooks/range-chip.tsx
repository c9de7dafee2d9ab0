import { SECOND_MS } from '@counterfoil/core/duration.ts';
import type { FormEvent, ReactNode } from 'react';
import { useState } from 'react';
import type { DeliverySearch } from '../../api/webhook-queries.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { FilterChip } from '../../parts/filter-chip.tsx';
import { fromField, toField } from './moment-field.ts';

/** Periods that end now, in seconds. */
const RANGES = [
  { key: 'hooks.since.halfHour', seconds: 1_800 },
  { key: 'hooks.since.day', seconds: 86_400 },
  { key: 'hooks.since.week', seconds: 604_800 },
  { key: 'hooks.since.month', seconds: 2_592_000 },
] as const;

type Range = { from: string | undefined; to: string | undefined };

const fieldOf = (text: string | undefined) => (text === undefined ? '' : toField(Number(text)));

function RangeForm({ range, onRange }: { range: Range; onRange: (range: Range) => void }): ReactNode {
  const t = useWords();
  const [from, setFrom] = useState(fieldOf(range.from));
  const [to, setTo] = useState(fieldOf(range.to));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onRange({ from: fromField(from)?.toString(), to: fromField(to)?.toString() });
  };
  return (
    <form onSubmit={submit}>
      <Field
        label={t('replay.from')}
        type="datetime-local"
        value={from}
        onChange={(event) => setFrom(event.target.value)}
      />
      <Field label={t('replay.to')} type="datetime-local" value={to} onChange={(event) => setTo(event.target.value)} />
      <Button look="main" small type="submit">
        {t('hooks.apply')}
      </Button>
    </form>
  );
}

export function RangeChip({
  search,
  onChange,
}: {
  search: DeliverySearch;
  onChange: (range: Range) => void;
}): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { from, to } = search;
  const write = (text: string | undefined) => (text === undefined ? '…' : moments.short(Number(text)));
  const value = from === undefined && to === undefined ? undefined : `${write(from)} – ${write(to)}`;
  return (
    <FilterChip name={t('hooks.date')} value={value} onClear={() => onChange({ from: undefined, to: undefined })}>
      {(close) => (
        <>
          <ul>
            {RANGES.map(({ key, seconds }) => (
              <li key={key}>
                <button
                  type="button"
                  className="chip-choice"
                  onClick={() => {
                    onChange({ from: String(Math.floor(Date.now() / SECOND_MS) - seconds), to: undefined });
                    close();
                  }}
                >
                  {t(key)}
                </button>
              </li>
            ))}
          </ul>
          <RangeForm
            range={{ from, to }}
            onRange={(range) => {
              onChange(range);
              close();
            }}
          />
        </>
      )}
    </FilterChip>
  );
}
