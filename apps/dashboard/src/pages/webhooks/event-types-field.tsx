import type { InvoiceEventType } from '@counterfoil/core/event-type.ts';
import { ENDPOINT_EVENT_TYPES } from '@counterfoil/core/event-type.ts';
import type { ReactNode } from 'react';
import { useWords } from '../../language/words.ts';

type EventTypesProps = {
  types: readonly InvoiceEventType[];
  onChange: (types: InvoiceEventType[]) => void;
  /** Whether to ask for one, because none is chosen. */
  needed: boolean;
};

/** The event types of a webhook endpoint, each with what it tells. */
export function EventTypesField({ types, onChange, needed }: EventTypesProps): ReactNode {
  const t = useWords();
  const toggle = (type: InvoiceEventType) =>
    onChange(ENDPOINT_EVENT_TYPES.filter((one) => (one === type ? !types.includes(one) : types.includes(one))));
  return (
    <fieldset className="stack stack-s">
      <legend className="label">{t('endpoint.types')}</legend>
      {ENDPOINT_EVENT_TYPES.map((type) => (
        <label key={type} className="pick tick">
          <input type="checkbox" checked={types.includes(type)} onChange={() => toggle(type)} />
          <span className="two grow">
            <strong className="strong mono">
              <bdi dir="ltr">{type}</bdi>
            </strong>
            <span className="small quiet">{t(`endpoint.about.${type}`)}</span>
          </span>
        </label>
      ))}
      {needed && types.length === 0 && (
        <p className="small bad" role="alert">
          {t('endpoint.typeNeeded')}
        </p>
      )}
    </fieldset>
  );
}
