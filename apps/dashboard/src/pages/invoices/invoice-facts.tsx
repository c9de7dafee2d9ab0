import { trimZeros } from '@counterfoil/core/amount.ts';
import type { ReactNode } from 'react';
import type { InvoiceHistory } from '../../api/invoice-queries.ts';
import { networkOf } from '../../api/networks.ts';
import type { Store } from '../../api/queries.ts';
import { useMoney } from '../../language/money.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Priced, TokenAmount, Usd } from '../../parts/amount.tsx';
import { CopyIcon } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PayMark } from '../../parts/pay-mark.tsx';
import { paidTransfer, shownQuote, strayTransfers } from './story.ts';

const SHOWN = 8;
const MOST = 24;

/** A code in a summary: cut in the middle if long, copied whole. */
function Code({ code, label }: { code: string; label: string }): ReactNode {
  return (
    <span className="hash">
      <bdi dir="ltr" title={code}>
        {code.length <= MOST ? (
          code
        ) : (
          <>
            {code.slice(0, SHOWN)}
            <i>…</i>
            {code.slice(-SHOWN)}
          </>
        )}
      </bdi>
      <CopyIcon text={code} label={label} />
    </span>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Token and network, selected or received. */
export function PaidLine({ history }: { history: InvoiceHistory }): ReactNode {
  const t = useWords();
  const paid = paidTransfer(history);
  const quote = shownQuote(history);
  const token = paid?.token ?? quote?.token;
  const network = paid?.network ?? quote?.network;
  const amount = paid?.token_amount ?? quote?.token_amount;
  if (token === undefined || network === undefined || amount === undefined)
    return <span className="quiet">{t('invoices.notChosen')}</span>;
  return (
    <span className="row gap-3">
      <PayMark token={token} network={network} />
      <span className="num strong">
        <TokenAmount amount={amount} token={token} />
      </span>
    </span>
  );
}

function MoneyFacts({ history }: { history: InvoiceHistory }): ReactNode {
  const t = useWords();
  const { fees, invoice } = history;
  const paid = paidTransfer(history);
  const stray = strayTransfers(history)[0];
  const quote = shownQuote(history);
  const network = paid?.network ?? quote?.network;
  const seen = paid ?? stray;
  const transaction = invoice.transaction_hash ?? seen?.transaction;
  const from = invoice.from_address ?? seen?.from_address;
  const to = seen?.to_address ?? quote?.to_address;
  const fee = fees?.findLast((one) => one.kind === 'capture')?.amount;
  return (
    <>
      {network !== undefined && (
        <Fact name={t('filter.network')}>
          {networkOf(network).name} <span className="tag">{networkOf(network).standard}</span>
        </Fact>
      )}
      {!paid && stray && (
        <Fact name={t('fact.paid')}>
          <strong className="warn strong">{t('fact.nothingMatches')}</strong>
        </Fact>
      )}
      {transaction !== undefined && (
        <Fact name={t('fact.transaction')}>
          <Code code={transaction} label={t('fact.copyTransaction')} />
        </Fact>
      )}
      {from !== undefined && (
        <Fact name={t('fact.from')}>
          <Code code={from} label={t('fact.copyFrom')} />
        </Fact>
      )}
      {to !== undefined && (
        <Fact name={t('fact.to')}>
          <Code code={to} label={t('copy.address')} />
        </Fact>
      )}
      {fee !== undefined && (
        <Fact name={t('fact.fee')}>
          <Usd amount={fee} />
        </Fact>
      )}
    </>
  );
}

type Evidence = { source: string; usd: string; at: string | null };

const isEvidence = (value: unknown): value is Evidence =>
  typeof value === 'object' && value !== null && 'source' in value && 'usd' in value && 'at' in value;

/** What the sources of exchange rates had reported when the invoice was created. */
function readEvidence(value: unknown): { sources: Evidence[]; bound: Evidence | undefined } {
  const { sources, bound } = (value ?? {}) as { sources?: unknown; bound?: unknown };
  return {
    sources: Array.isArray(sources) ? sources.filter(isEvidence) : [],
    bound: isEvidence(bound) ? bound : undefined,
  };
}

/** The price in another currency, its rate, and where the rate comes from. */
function PriceFacts({ invoice }: { invoice: InvoiceHistory['invoice'] }): ReactNode {
  const t = useWords();
  const { decimal } = useMoney();
  const { currency, exchange_rate: rate } = invoice;
  if (currency === null || rate === null || currency === 'USD') return null;
  const { sources, bound } = readEvidence(invoice.rate_evidence);
  const rateOf = (usd: string) => decimal(trimZeros(usd), 2);
  return (
    <>
      <Fact name={t('fact.price')}>
        <Priced of={invoice} className="strong" />
      </Fact>
      <Fact name={t('fact.rate')}>
        <bdi dir="ltr" className="num">{`1 ${currency} = $${rateOf(rate)}`}</bdi>
      </Fact>
      <Fact name={t('fact.rateSources')}>
        {sources.map(({ source, usd }) => (
          <span key={source} className="block">
            <bdi dir="ltr" className="num">{`${source} $${rateOf(usd)}`}</bdi>
          </span>
        ))}
      </Fact>
      {bound && (
        <Fact name={t('fact.reference')}>
          <bdi dir="ltr" className="num">{`${bound.source.toUpperCase()} $${rateOf(bound.usd)}`}</bdi>
        </Fact>
      )}
    </>
  );
}

/** An invoice's facts, one per line. */
export function InvoiceFacts({ history, store }: { history: InvoiceHistory; store: Store | undefined }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { invoice } = history;
  const isOpen = invoice.status === 'waiting' || invoice.status === 'processing';
  return (
    <dl className="dl">
      <PriceFacts invoice={invoice} />
      <MoneyFacts history={history} />
      {invoice.request_id !== null && (
        <Fact name={t('fact.order')}>
          <Code code={invoice.request_id} label={t('fact.copyOrder')} />
        </Fact>
      )}
      <Fact name={t('stores.name')}>
        <span dir="auto" className="anywhere">
          {store?.name ?? invoice.store}
        </span>
      </Fact>
      {invoice.description !== null && (
        <Fact name={t('fact.description')}>
          <span dir="auto" className="anywhere">
            {invoice.description}
          </span>
        </Fact>
      )}
      <Fact name={t('invoices.created')}>{moments.long(invoice.created_at)}</Fact>
      {isOpen && <Fact name={t('fact.openUntil')}>{moments.long(invoice.expires_at)}</Fact>}
    </dl>
  );
}

export function ExplorerLink({ history }: { history: InvoiceHistory }): ReactNode {
  const t = useWords();
  const seen = paidTransfer(history) ?? strayTransfers(history)[0];
  const explorer = seen && networkOf(seen.network).explorer;
  if (!seen || explorer === null || explorer === undefined) return null;
  return (
    <a className="b b-block" href={`${explorer}${seen.transaction}`} target="_blank" rel="noreferrer noopener">
      <Icon name="ext" />
      {t('fact.explorer')}
    </a>
  );
}
