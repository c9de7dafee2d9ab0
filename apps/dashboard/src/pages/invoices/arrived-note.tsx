import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { InvoiceHistory } from '../../api/invoice-queries.ts';
import { may } from '../../api/permission.ts';
import { useAccount } from '../../frame/membership.ts';
import { isNothing, percentOf, subtract, withoutSign } from '../../language/decimals.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { Icon } from '../../parts/icon.tsx';
import { useReason } from './chapter.tsx';
import { MarkedAmount } from './price-proof.tsx';
import type { Quote, Transfer } from './story.ts';
import { shownQuote, strayTransfers } from './story.ts';

const SHOWN_DECIMALS = 2;

function Compare({ transfer, quote, amount }: { transfer: Transfer; quote: Quote; amount: string }): ReactNode {
  const t = useWords();
  const { decimal } = useMoney();
  const { token_amount: arrived } = transfer;
  if (arrived === null) return null;
  const difference = subtract(arrived, quote.token_amount);
  const percent = percentOf(withoutSign(difference), quote.token_amount);
  const sign = difference.startsWith('-') ? '−' : '+';
  return (
    <dl className="vs">
      <div>
        <dt>{t('arrived.asked')}</dt>
        <dd>
          <MarkedAmount amount={amount} quote={quote} />
        </dd>
      </div>
      <div>
        <dt>{t('arrived.arrived')}</dt>
        <dd>
          <MarkedAmount amount={amount} quote={quote} arrived={arrived} />
        </dd>
      </div>
      <div>
        <dt>{t('arrived.difference')}</dt>
        <dd>
          {isNothing(difference) ? (
            t('arrived.none')
          ) : (
            <bdi dir="ltr">
              {sign}
              {decimal(withoutSign(difference), SHOWN_DECIMALS)}{' '}
              {percent !== undefined && <small>({decimal(percent, 2)} %)</small>}
            </bdi>
          )}
        </dd>
      </div>
    </dl>
  );
}

/** Money that arrived without paying the invoice: requested, received, and where to decide. */
export function ArrivedNote({ history }: { history: InvoiceHistory }): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const { token } = useMoney();
  const reasonOf = useReason();
  const { invoice } = history;
  const transfer = strayTransfers(history).find((one) => one.attached_by === null);
  if (!transfer || invoice.status === 'completed') return null;
  const { token_amount: amount } = transfer;
  const quote = shownQuote(history);
  const isSame = quote?.token === transfer.token && quote.network === transfer.network;
  return (
    <section className="note note-warn" aria-labelledby="arrived">
      <Icon name="inbox" />
      <div className="gap-3">
        <h2 id="arrived">
          {t('arrived.title', { amount: amount === null ? transfer.token : token(amount, transfer.token) })}
        </h2>
        <p>
          {reasonOf(transfer)} {t('arrived.wallet')}
        </p>
        {quote && isSame && <Compare transfer={transfer} quote={quote} amount={invoice.amount} />}
        {invoice.mode === 'test' ? null : may(role, 'transfer.attach') ? (
          <>
            <p className="small">{t('arrived.attachAbout')}</p>
            <div className="acts">
              <Link
                className="b b-main"
                to="/m/$account/unmatched/$transfer"
                params={{ account, transfer: transfer.transfer }}
              >
                <Icon name="link" />
                {t('arrived.attach')}
              </Link>
            </div>
          </>
        ) : (
          <p className="small">{t('arrived.ask')}</p>
        )}
      </div>
    </section>
  );
}
