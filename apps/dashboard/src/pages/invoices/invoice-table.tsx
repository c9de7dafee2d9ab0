import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ListedInvoice } from '../../api/invoice-queries.ts';
import { networkOf } from '../../api/networks.ts';
import type { Store } from '../../api/queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Priced, TokenAmount, Usd } from '../../parts/amount.tsx';
import { Badge, ModeBadge } from '../../parts/badge.tsx';
import { PayMark } from '../../parts/pay-mark.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Cell, Row, Table } from '../../parts/table.tsx';

/** An invoice's title: its name, the merchant's id, or a description. */
export function useInvoiceTitle(): (one: { name: string | null; request_id: string | null }) => string {
  const t = useWords();
  return ({ name, request_id: order }) => name ?? order ?? t('invoices.unnamed');
}

function PaidWith({ invoice: { network, token, token_amount: amount } }: { invoice: ListedInvoice }): ReactNode {
  const t = useWords();
  if (network === null || token === null) return <span className="quiet">{t('invoices.notChosen')}</span>;
  return (
    <span className="row gap-3">
      <PayMark token={token} network={network} />
      <span className="two">
        <span className="nowrap">{amount === null ? token : <TokenAmount amount={amount} token={token} />}</span>
        <span className="t2 nowrap">{networkOf(network).name}</span>
      </span>
    </span>
  );
}

function States({ invoice }: { invoice: ListedInvoice }): ReactNode {
  const t = useWords();
  const { status, late, cancelled, arrived, mode, callback_status: callback } = invoice;
  return (
    <span className="row row-wrap gap-1 tinted" data-status={status}>
      <StatusBadge status={status} late={late} cancelled={cancelled} />
      {arrived && (
        <Badge tone="warn" icon="inbox">
          {t('invoices.moneyArrived')}
        </Badge>
      )}
      {mode === 'test' && (
        <span className="phone">
          <ModeBadge mode="test" />
        </span>
      )}
      {callback === 'failed' && (
        <Badge tone="warn" icon="clock">
          {t('invoices.webhookFailing')}
        </Badge>
      )}
    </span>
  );
}

type RowProps = { invoice: ListedInvoice; on: boolean; store: Store | undefined };

function InvoiceRow({ invoice, on, store }: RowProps): ReactNode {
  const moments = useMoments();
  const titleOf = useInvoiceTitle();
  const { account } = useAccount();
  const { trans_id: code } = invoice;
  const title = titleOf(invoice);
  return (
    <Row link on={on}>
      <Cell place="first">
        <span className="two">
          <Link
            className="row-link strong clip cell-name"
            to="/m/$account/invoices"
            params={{ account }}
            search={(present: object) => ({ ...present, invoice: code })}
            resetScroll={false}
            dir="auto"
            title={title}
            data-code={code}
          >
            {title}
          </Link>
          <bdi dir="ltr" className="mono t2">
            {code}
          </bdi>
        </span>
      </Cell>
      <Cell place="third">
        <States invoice={invoice} />
      </Cell>
      <Cell place="hide">
        <PaidWith invoice={invoice} />
      </Cell>
      <Cell place="hide">
        <span className="row">
          <span className="quiet clip cell-store" dir="auto" title={store?.name}>
            {store?.name ?? invoice.store}
          </span>
          {invoice.mode === 'test' && <ModeBadge mode="test" />}
        </span>
      </Cell>
      <Cell place="fourth">
        <time
          className="quiet nowrap"
          dateTime={moments.iso(invoice.created_at)}
          title={moments.long(invoice.created_at)}
        >
          {moments.short(invoice.created_at)}
        </time>
      </Cell>
      <Cell place="second" end>
        <span className="money">
          <Usd amount={invoice.amount} />
        </span>
        <Priced of={invoice} className="block small quiet" />
      </Cell>
    </Row>
  );
}

type InvoiceTableProps = { rows: readonly ListedInvoice[]; stores: readonly Store[]; open: string | undefined };

export function InvoiceTable({ rows, stores, open }: InvoiceTableProps): ReactNode {
  const t = useWords();
  const columns = [
    { title: t('invoices.invoice') },
    { title: t('filter.status') },
    { title: t('invoices.paidWith') },
    { title: t('stores.name') },
    { title: t('invoices.created') },
    { title: t('filter.amount'), end: true },
  ];
  return (
    <Table label={t('invoices.title')} columns={columns}>
      {rows.map((one) => (
        <InvoiceRow
          key={one.trans_id}
          invoice={one}
          on={one.trans_id === open}
          store={stores.find(({ merchant_id: id }) => id === one.store)}
        />
      ))}
    </Table>
  );
}
