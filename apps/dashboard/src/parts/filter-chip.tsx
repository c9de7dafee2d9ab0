import { Popover } from '@base-ui/react/popover';
import type { ReactNode } from 'react';
import { useRef, useState } from 'react';
import { useWords } from '../language/words.ts';
import type { ButtonLook } from './button.tsx';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** Filters above a list: "+ Name" when unset, "Name: value x" when set. Values are only in the URL. */

type FilterChipProps = {
  name: string;
  /** The value as text, if set. */
  value: string | undefined;
  onClear: () => void;
  /** The panel; it calls `close` after a choice. */
  children: (close: () => void) => ReactNode;
};

export function FilterChip({ name, value, onClear, children }: FilterChipProps): ReactNode {
  const t = useWords();
  const [open, setOpen] = useState(false);
  const openerRef = useRef<HTMLButtonElement>(null);
  const isSet = value !== undefined;
  // The clear button disappears with the value and passes the focus on.
  const clear = () => {
    onClear();
    openerRef.current?.focus();
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <span className={`chip${isSet ? ' chip-on' : ''}`}>
        <Popover.Trigger ref={openerRef} className="chip-open">
          {isSet ? (
            <>
              {t('filter.named', { name })} <b dir="auto">{value}</b>
            </>
          ) : (
            <>
              <Icon name="plus" />
              {name}
            </>
          )}
        </Popover.Trigger>
        {isSet && (
          <button type="button" className="chip-x" aria-label={t('filter.clearOne', { name })} onClick={clear}>
            <Icon name="x" />
          </button>
        )}
      </span>
      <Popover.Portal>
        <Popover.Positioner className="menu-place" align="start" sideOffset={6}>
          <Popover.Popup className="chip-panel" aria-label={name}>
            {children(() => setOpen(false))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

type ChoiceChipProps = {
  name: string;
  value: string | undefined;
  options: readonly { value: string; label: string; mark?: ReactNode }[];
  onChange: (value: string | undefined) => void;
};

/** A filter with one of a few values. */
export function ChoiceChip({ name, value, options, onChange }: ChoiceChipProps): ReactNode {
  const present = options.find((one) => one.value === value);
  return (
    <FilterChip name={name} value={present?.label ?? value} onClear={() => onChange(undefined)}>
      {(close) => (
        <ul>
          {options.map((one) => (
            <li key={one.value}>
              <button
                type="button"
                className="chip-choice"
                aria-pressed={one.value === value}
                onClick={() => {
                  onChange(one.value);
                  close();
                }}
              >
                {one.mark}
                <span className="clip" dir="auto">
                  {one.label}
                </span>
                {one.value === value && <Icon name="check" />}
              </button>
            </li>
          ))}
        </ul>
      )}
    </FilterChip>
  );
}

const CHIPS = 'filters';

type ClearFiltersProps = { onClear: () => void; look?: ButtonLook; small?: boolean };

/** Clears all filters. The button disappears and passes the focus to the first filter. */
export function ClearFilters({ onClear, ...look }: ClearFiltersProps): ReactNode {
  const t = useWords();
  const clear = () => {
    onClear();
    document.querySelector<HTMLElement>(`#${CHIPS} button`)?.focus();
  };
  return (
    <Button {...look} onClick={clear}>
      {t('filter.clear')}
    </Button>
  );
}

/** The filter bar, with a clear button if any is set. */
export function FilterBar({
  count,
  onClear,
  before,
  children,
}: {
  count: number;
  onClear: () => void;
  before?: ReactNode;
  children: ReactNode;
}): ReactNode {
  const t = useWords();
  return (
    <div className="filters" role="group" aria-label={t('filter.title')}>
      {before}
      <div className="chips" id={CHIPS}>
        {children}
        {count > 1 && <ClearFilters look="quiet" small onClear={onClear} />}
      </div>
    </div>
  );
}
