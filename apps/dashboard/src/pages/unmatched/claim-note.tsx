import type { ReactNode } from 'react';
import type { Arrival } from '../../api/unmatched-queries.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { InvoiceLink } from '../../parts/invoice-link.tsx';
import { Note } from '../../parts/note.tsx';
import type { InvoiceStatus } from '../../parts/status-badge.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';

type ClaimNoteProps = {
  account: string;
  arrival: Arrival;
  /** Undefined without permission, or when nothing can be attached now. */
  onAttach: ((invoice: string) => void) | undefined;
};

/** Customers who submitted the transfer's hash on the pages of their invoices. */
export function ClaimNote({ account, arrival, onAttach }: ClaimNoteProps): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { claims, suggestions } = arrival;
  if (claims.length === 0) return null;
  const isSuggested = (invoice: string) => suggestions.some((one) => one.invoice === invoice);
  return (
    <Note tone={claims.length === 1 ? 'info' : 'warn'} icon="inbox" title={t('claim.title', { count: claims.length })}>
      <ul className="stack stack-s">
        {claims.map(({ invoice, name, request_id: order, status, at }) => (
          <li key={invoice} className="row row-wrap">
            <InvoiceLink account={account} invoice={invoice}>
              <span dir="auto">{name ?? order ?? invoice}</span>
            </InvoiceLink>
            {name !== null && order !== null && <bdi>{order}</bdi>}
            <StatusBadge status={status as InvoiceStatus} />
            <span className="small quiet">{moments.short(at)}</span>
            {onAttach && !isSuggested(invoice) && status !== 'completed' && (
              <Button small aria-label={t('unmatched.attachTo', { invoice })} onClick={() => onAttach(invoice)}>
                {t('unmatched.attach')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <p>{t('claim.about')}</p>
    </Note>
  );
}
