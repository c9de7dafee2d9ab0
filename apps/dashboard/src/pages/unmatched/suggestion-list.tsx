import type { ReactNode } from 'react';
import type { Arrival, Suggestion } from '../../api/unmatched-queries.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { Usd } from '../../parts/amount.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { InvoiceLink } from '../../parts/invoice-link.tsx';
import type { InvoiceStatus } from '../../parts/status-badge.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { cluesOf } from './arrival-words.ts';
import type { Attaching } from './use-attach.ts';

type SuggestionRowProps = {
  account: string;
  suggestion: Suggestion;
  isBest: boolean;
  /** Undefined without permission, or when nothing can be attached now. */
  attaching: Attaching | undefined;
};

function SuggestionRow({ account, suggestion, isBest, attaching }: SuggestionRowProps): ReactNode {
  const t = useWords();
  const money = useMoney();
  const { invoice, amount_usd: amount, status } = suggestion;
  const isSending = attaching?.sending === invoice;
  return (
    <li className={isBest ? 'is-best' : undefined}>
      <div className="stack stack-s">
        <div className="row row-wrap">
          <strong className="strong">
            <InvoiceLink account={account} invoice={invoice} />
          </strong>
          <Usd amount={amount} />
          <StatusBadge status={status as InvoiceStatus} />
        </div>
        <ul className="why">
          {cluesOf(t, suggestion, (decimal) => money.decimal(decimal, 2)).map(({ tone, text }) => (
            <li key={text} className={tone}>
              <Icon name={tone === 'good' ? 'check' : 'warn'} />
              {text}
            </li>
          ))}
        </ul>
      </div>
      {attaching && (
        <Button
          look={isBest ? 'main' : 'plain'}
          icon="link"
          aria-label={t('unmatched.attachTo', { invoice })}
          busy={isSending ? t('unmatched.attaching') : false}
          onClick={() => attaching.sending === undefined && attaching.attach(invoice)}
        >
          {t('unmatched.attach')}
        </Button>
      )}
    </li>
  );
}

/** Likely invoices, best first, with evidence for and against. */
export function SuggestionList({
  account,
  arrival,
  attaching,
}: {
  account: string;
  arrival: Arrival;
  attaching: Attaching | undefined;
}): ReactNode {
  const t = useWords();
  if (arrival.suggestions.length === 0) return <p className="quiet">{t('unmatched.noSuggestionAbout')}</p>;
  return (
    <>
      <ol className="sug">
        {arrival.suggestions.map((suggestion, place) => (
          <SuggestionRow
            key={suggestion.invoice}
            account={account}
            suggestion={suggestion}
            isBest={place === 0}
            attaching={attaching}
          />
        ))}
      </ol>
      {attaching && <p className="small quiet prose">{t('unmatched.attachAbout')}</p>}
    </>
  );
}
