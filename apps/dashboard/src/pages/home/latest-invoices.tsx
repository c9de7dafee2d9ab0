import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useId } from 'react';
import type { Answer } from '../../api/call.ts';
import type { Mode } from '../../api/home-queries.ts';
import { latestInvoicesQuery } from '../../api/home-queries.ts';
import { networkOf } from '../../api/networks.ts';
import type { Store } from '../../api/queries.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Priced, TokenAmount, Usd } from '../../parts/amount.tsx';
import { PlaceLink } from '../../parts/place-link.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Cell, Row, Table } from '../../parts/table.tsx';

const SHOWN = 5;

type Invoice = Answer<'GET /accounts/{account}/invoices'>['invoices'][number];

function InvoiceRow({ invoice, account, store }: { invoice: Invoice; account: string; store: string }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { trans_id: code, name, request_id: order, network, token, token_amount: amount } = invoice;
  return (
    <Row>
      <Cell place="first">
        <span className="two">
          <PlaceLink className="strong text-ink" path={`/m/${account}/invoices/${code}`}>
            <bdi className="clip block max-w-72">{name ?? order ?? t('invoices.unnamed')}</bdi>
          </PlaceLink>
          <span className="t2 mono clip quiet">
            <bdi dir="ltr">{code}</bdi>
          </span>
        </span>
      </Cell>
      <Cell place="wide">
        <StatusBadge
          status={invoice.status}
          late={invoice.late}
          cancelled={invoice.cancelled}
          arrived={invoice.arrived}
        />
      </Cell>
      <Cell place="hide">
        {network !== null && token !== null && amount !== null ? (
          <span className="two">
            <TokenAmount amount={amount} token={token} />
            <span className="t2 small quiet">{networkOf(network).name}</span>
          </span>
        ) : (
          <span className="quiet">{t('home.notChosen')}</span>
        )}
      </Cell>
      <Cell place="hide">
        <span className="quiet clip max-w-48" dir="auto">
          {store}
        </span>
      </Cell>
      <Cell place="hide">
        <span className="quiet num nowrap">{moments.short(invoice.created_at)}</span>
      </Cell>
      <Cell place="second" end>
        <span className="strong">
          <Usd amount={invoice.amount} />
        </span>
        <Priced of={invoice} className="block small quiet" />
      </Cell>
    </Row>
  );
}

type LatestProps = { account: string; stores: readonly Store[]; mode: Mode };

/** The newest invoices of all stores; nothing when there are none or they cannot be loaded. */
export function LatestInvoices({ account, stores, mode }: LatestProps): ReactNode {
  const t = useWords();
  const id = useId();
  const { data } = useQuery(latestInvoicesQuery(account));
  const latest = (data?.invoices ?? []).filter((invoice) => invoice.mode === mode).slice(0, SHOWN);
  if (latest.length === 0) return null;
  const columns = ['home.invoice', 'home.status', 'home.paidWith', 'stores.name', 'home.created'] as const;
  const nameOf = (code: string) => stores.find((one) => one.merchant_id === code)?.name ?? code;
  return (
    <section className="card" aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{t('home.latest')}</h2>
        <PlaceLink className="card-more" path={`/m/${account}/invoices`}>
          {t('home.allInvoices')}
        </PlaceLink>
      </div>
      <Table
        label={t('home.latest')}
        columns={[...columns.map((key) => ({ title: t(key) })), { title: t('home.amount'), end: true }]}
      >
        {latest.map((invoice) => (
          <InvoiceRow key={invoice.trans_id} invoice={invoice} account={account} store={nameOf(invoice.store)} />
        ))}
      </Table>
    </section>
  );
}
