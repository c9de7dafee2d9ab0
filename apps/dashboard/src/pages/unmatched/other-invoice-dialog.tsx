import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Answer } from '../../api/call.ts';
import { call } from '../../api/call.ts';
import type { Arrival } from '../../api/unmatched-queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { formOf, textField } from '../../forms/schemas.ts';
import { useApiForm } from '../../forms/use-api-form.ts';
import { useMoments } from '../../language/moments.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import type { InvoiceStatus } from '../../parts/status-badge.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';

type Found = Answer<'GET /accounts/{account}/search'>['results'][number] & { trans_id: string };

const schema = formOf({ q: textField });

function invoicesIn(results: Answer<'GET /accounts/{account}/search'>['results']): Found[] {
  const found = results.filter((one): one is Found => one.trans_id !== null);
  return [...new Map(found.map((one) => [one.trans_id, one])).values()];
}

function FoundList({ found, onAttach }: { found: readonly Found[]; onAttach: (invoice: string) => void }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  if (found.length === 0) return <p role="status">{t('unmatched.findNone')}</p>;
  return (
    <ol className="sug">
      {found.map(({ trans_id: invoice, name, request_id: order, status, at }) => (
        <li key={invoice}>
          <div className="stack stack-xs">
            <span className="row row-wrap">
              {name === null ? (
                <bdi dir="ltr" className="mono">
                  {invoice}
                </bdi>
              ) : (
                <strong className="strong" dir="auto">
                  {name}
                </strong>
              )}
              {status !== null && <StatusBadge status={status as InvoiceStatus} />}
            </span>
            <span className="small quiet">
              {order !== null && (
                <>
                  <bdi>{order}</bdi> ·{' '}
                </>
              )}
              {moments.short(at)}
            </span>
          </div>
          {status !== 'completed' && (
            <Button
              aria-label={t('unmatched.attachTo', { invoice: name ?? order ?? invoice })}
              onClick={() => onAttach(invoice)}
            >
              {t('unmatched.attach')}
            </Button>
          )}
        </li>
      ))}
    </ol>
  );
}

type OtherInvoiceProps = {
  account: string;
  arrival: Arrival;
  onClose: () => void;
  onAttach: (invoice: string) => void;
};

export function OtherInvoiceDialog({ account, arrival, onClose, onAttach }: OtherInvoiceProps): ReactNode {
  const t = useWords();
  const money = useMoney();
  const [found, setFound] = useState<readonly Found[]>();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { q: '' },
    send: async ({ q }) => {
      const { results } = await call('GET /accounts/{account}/search', { path: { account }, query: { q } });
      setFound(invoicesIn(results));
    },
  });
  return (
    <Dialog
      title={t('unmatched.findTitle', {
        amount: arrival.amount === null ? arrival.token : money.token(arrival.amount, arrival.token),
      })}
      onClose={onClose}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button look="main" type="submit" icon="search" busy={isSubmitting && t('unmatched.finding')}>
            {t('unmatched.findDo')}
          </Button>
        </>
      }
    >
      <p className="quiet">{t('unmatched.attachAbout')}</p>
      <Field label={t('unmatched.findField')} hint={t('unmatched.findHint')} autoComplete="off" code {...field('q')} />
      {found && <FoundList found={found} onAttach={onAttach} />}
      <Failure cause={failure} />
    </Dialog>
  );
}
