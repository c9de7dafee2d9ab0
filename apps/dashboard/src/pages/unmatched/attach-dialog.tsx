import { useQuery } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { useId, useState } from 'react';
import type { InvoiceHistory } from '../../api/invoice-queries.ts';
import { invoiceQuery } from '../../api/invoice-queries.ts';
import { storesQuery } from '../../api/queries.ts';
import type { Arrival } from '../../api/unmatched-queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { isNothing, withoutSign } from '../../language/decimals.ts';
import { useMoments } from '../../language/moments.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/note.tsx';
import type { AttachPlan } from './attach-plan.ts';
import { planAttachment } from './attach-plan.ts';

type Parts = { arrival: Arrival; history: InvoiceHistory; plan: AttachPlan };

function Row({ name, children, total = false }: { name: ReactNode; children: ReactNode; total?: boolean }): ReactNode {
  return (
    <div className={total ? 'is-total' : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const sumClass = 'num strong nowrap';

/** Invoice, order, expected, received and difference. */
function Sum({ arrival, history: { invoice }, plan, store }: Parts & { store: string }): ReactNode {
  const t = useWords();
  const money = useMoney();
  const { quote, difference } = plan;
  const isDifferent = difference === undefined || !isNothing(difference);
  return (
    <div className="attach-sum">
      <dl className="dl">
        <Row name={t('attach.invoice')}>
          <span className="strong" dir="auto">
            {invoice.name ?? <bdi dir="ltr">{invoice.trans_id}</bdi>}
          </span>
        </Row>
        <Row name={t('attach.order')}>
          <bdi>{invoice.request_id ?? t('attach.noOrder')}</bdi> · <bdi>{store}</bdi>
        </Row>
        <Row name={t('unmatched.asked')}>
          <bdi dir="ltr" className={sumClass}>
            {quote ? money.token(quote.token_amount, quote.token) : money.usd(invoice.amount)}
          </bdi>
        </Row>
        <Row name={t('unmatched.arrived')}>
          <bdi dir="ltr" className={sumClass}>
            {arrival.amount === null ? arrival.token : money.token(arrival.amount, arrival.token)}
          </bdi>
        </Row>
        <Row
          total={isDifferent}
          name={
            <span className="row gap-2">
              {isDifferent && <Icon name="warn" />}
              {t('unmatched.difference')}
            </span>
          }
        >
          {difference === undefined ? (
            t(quote ? 'attach.otherToken' : 'attach.noToken')
          ) : (
            <bdi dir="ltr" className={sumClass}>
              {isNothing(difference) || difference.startsWith('-') ? '' : '+'}
              {money.token(difference, arrival.token)}
            </bdi>
          )}
        </Row>
      </dl>
    </div>
  );
}

/** What attaching does, and what happens to an invoice that is still open. */
function Effects({ history: { invoice }, plan, store }: Parts & { store: string }): ReactNode {
  const t = useWords();
  const money = useMoney();
  const moments = useMoments();
  return (
    <>
      {plan.isOpen &&
        (invoice.status === 'processing' ? (
          <Note tone="warn" title={t('attach.processingTitle')}>
            <p>{t('attach.processingAbout')}</p>
          </Note>
        ) : (
          <Note tone="warn" title={t('attach.openTitle', { time: moments.within(invoice.expires_at) })}>
            <p>{t('attach.openAbout')}</p>
          </Note>
        ))}
      <ul className="attach-list small">
        <li>
          <Icon name="check" />
          {t('attach.completes')}
        </li>
        {invoice.callback_url !== null && (
          <li>
            <Icon name="hook" />
            {t('attach.notifies')}
          </li>
        )}
        {plan.fee !== undefined && (
          <li>
            <Icon name="fee" />
            {t('attach.fee', { amount: money.usd(plan.fee), store })}
          </li>
        )}
      </ul>
    </>
  );
}

function useAcceptance({ arrival, history, plan }: Parts): string | undefined {
  const t = useWords();
  const money = useMoney();
  const { accepts, difference, quote } = plan;
  if (accepts === undefined) return undefined;
  if (accepts === 'open') return t('attach.acceptOpen');
  if (accepts === 'other') {
    return t('attach.acceptOther', {
      received: arrival.amount === null ? arrival.token : money.token(arrival.amount, arrival.token),
      expected: quote ? money.token(quote.token_amount, quote.token) : money.usd(history.invoice.amount),
    });
  }
  const amount = money.token(withoutSign(difference ?? '0'), arrival.token);
  return t(accepts === 'short' ? 'attach.acceptShort' : 'attach.acceptOver', { difference: amount });
}

type AcceptanceProps = { parts: Parts; accepted: boolean; pressed: boolean; onAccept: (accepted: boolean) => void };

function Acceptance({ parts, accepted, pressed, onAccept }: AcceptanceProps): ReactNode {
  const t = useWords();
  const id = useId();
  const text = useAcceptance(parts);
  if (text === undefined) return <p className="small quiet">{t('attach.permanent')}</p>;
  const isMissing = pressed && !accepted;
  return (
    <>
      <label className="pick tick">
        <input
          type="checkbox"
          checked={accepted}
          onChange={(event) => onAccept(event.target.checked)}
          {...(isMissing && { 'aria-invalid': true, 'aria-describedby': id })}
        />
        <span className="two grow">
          <strong className="strong">{text}</strong>
          <span className="small quiet">{t('attach.permanent')}</span>
        </span>
      </label>
      {isMissing && (
        <p className="small bad" id={id} role="alert">
          {t('attach.needed')}
        </p>
      )}
    </>
  );
}

type AttachDialogProps = {
  account: string;
  arrival: Arrival;
  invoice: string;
  onClose: () => void;
  onAttach: (invoice: string) => void;
};

/** Asks for confirmation before a transfer is attached, with the values of both. */
export function AttachDialog({ account, arrival, invoice, onClose, onAttach }: AttachDialogProps): ReactNode {
  const t = useWords();
  const money = useMoney();
  const [accepted, setAccepted] = useState(false);
  const [pressed, setPressed] = useState(false);
  const { data: history, error } = useQuery(invoiceQuery(account, invoice));
  const { data: owned } = useQuery(storesQuery(account));
  const plan = history && planAttachment(arrival, history);
  const storeId = history?.invoice.store ?? '';
  const store = owned?.stores.find((one) => one.merchant_id === storeId)?.name ?? storeId;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setPressed(true);
    if (plan && (plan.accepts === undefined || accepted)) onAttach(invoice);
  };
  const parts = history && plan && { arrival, history, plan };
  return (
    <Dialog
      title={t('attach.title', {
        amount: arrival.amount === null ? arrival.token : money.token(arrival.amount, arrival.token),
        invoice: `\u2068${history?.invoice.request_id ?? history?.invoice.name ?? invoice}\u2069`,
      })}
      onClose={onClose}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          {parts && (
            <Button look="main" type="submit" icon="link">
              {t('attach.do')}
            </Button>
          )}
        </>
      }
    >
      {parts ? (
        <>
          <Sum {...parts} store={store} />
          <Effects {...parts} store={store} />
          <Acceptance parts={parts} accepted={accepted} pressed={pressed} onAccept={setAccepted} />
        </>
      ) : (
        <p role="status">{error === null && t('attach.loading')}</p>
      )}
      <Failure cause={error} />
    </Dialog>
  );
}
