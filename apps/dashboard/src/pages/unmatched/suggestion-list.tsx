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

/** Choosing an invoice; what is chosen is confirmed in a dialog. */
type Choosing = Pick<Attaching, 'attach' | 'sending'>;

type SuggestionRowProps = {
  account: string;
  suggestion: Suggestion;
  isBest: boolean;
  /** Undefined without permission, or when nothing can be attached now. */
  choosing: Choosing | undefined;
};

function SuggestionRow({ account, suggestion, isBest, choosing }: SuggestionRowProps): ReactNode {
  const t = useWords();
  const money = useMoney();
  const { invoice, name, request_id: order, amount_usd: amount, status } = suggestion;
  const isSending = choosing?.sending === invoice;
  return (
    <li className={isBest ? 'is-best' : undefined}>
      <div className="stack stack-s">
        <div className="row row-wrap">
          <strong className="strong">
            <InvoiceLink account={account} invoice={invoice}>
              {name === null ? undefined : <span dir="auto">{name}</span>}
            </InvoiceLink>
          </strong>
          {order !== null && <bdi className="wrap-anywhere">{order}</bdi>}
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
      {choosing && (
        <Button
          look={isBest ? 'main' : 'plain'}
          icon="link"
          aria-label={t('unmatched.attachTo', { invoice: name ?? order ?? invoice })}
          busy={isSending ? t('unmatched.attaching') : false}
          onClick={() => choosing.sending === undefined && choosing.attach(invoice)}
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
  choosing,
}: {
  account: string;
  arrival: Arrival;
  choosing: Choosing | undefined;
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
            choosing={choosing}
          />
        ))}
      </ol>
      {choosing && <p className="small quiet prose">{t('unmatched.attachAbout')}</p>}
    </>
  );
}
