import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { InvoiceHistory, ListedInvoice } from '../../api/invoice-queries.ts';
import { invoiceQuery } from '../../api/invoice-queries.ts';
import type { Store } from '../../api/queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { useWords } from '../../language/words.ts';
import { BigUsd, Priced } from '../../parts/amount.tsx';
import { ModeBadge } from '../../parts/badge.tsx';
import { CodeText } from '../../parts/code-text.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { ArrivedNote } from './arrived-note.tsx';
import { InvoiceActions } from './invoice-actions.tsx';
import { InvoiceFacts, PaidLine } from './invoice-facts.tsx';
import { InvoiceStory } from './invoice-story.tsx';
import { useInvoiceTitle } from './invoice-table.tsx';
import { strayTransfers } from './story.ts';
import { useInvoiceSearch } from './use-invoice-list.ts';
import { rowLink } from './use-list-keys.ts';

function Steps({ code, rows }: { code: string; rows: readonly ListedInvoice[] }): ReactNode {
  const t = useWords();
  const { account } = useAccount();
  const { change } = useInvoiceSearch();
  const at = rows.findIndex((one) => one.trans_id === code);
  const steps = [
    { name: t('keys.previous'), to: rows[at - 1], icon: 'up-i' },
    { name: t('keys.next'), to: at === -1 ? undefined : rows[at + 1], icon: '' },
  ];
  return (
    <>
      <span className="grow small quiet">{at !== -1 && t('invoices.place', { at: at + 1, count: rows.length })}</span>
      {steps.map(({ name, to, icon }) => (
        <button
          key={name}
          type="button"
          className="b b-s b-quiet b-icon"
          aria-label={name}
          {...(to ? { onClick: () => change({ invoice: to.trans_id }, true) } : { 'aria-disabled': true })}
        >
          <span className={`row ${icon}`}>
            <Icon name="down" />
          </span>
        </button>
      ))}
      <Link className="b b-s" to="/m/$account/invoices/$tid" params={{ account, tid: code }}>
        {t('invoices.openPage')}
      </Link>
    </>
  );
}

function Content({ history, stores }: { history: InvoiceHistory; stores: readonly Store[] }): ReactNode {
  const t = useWords();
  const titleOf = useInvoiceTitle();
  const { invoice } = history;
  const arrived = strayTransfers(history).length > 0;
  return (
    <>
      <div className="stack stack-s">
        <div className="row between row-wrap">
          <BigUsd amount={invoice.amount} />
          <Priced of={invoice} className="strong" />
          <span className="row">
            {invoice.mode === 'test' && <ModeBadge mode="test" />}
            <StatusBadge
              status={invoice.status}
              late={invoice.late}
              cancelled={invoice.cancelled_at !== null}
              arrived={arrived}
            />
          </span>
        </div>
        <strong className="strong anywhere" dir="auto">
          {titleOf(invoice)}
        </strong>
        <CodeText code={invoice.trans_id} label={t('invoices.copyCode')} />
      </div>
      <div className="row row-wrap small-acts">
        <InvoiceActions history={history} />
      </div>
      <ArrivedNote history={history} />
      <div>
        <div className="row between paid-line">
          <span className="quiet">{t('invoices.paidWith')}</span>
          <PaidLine history={history} />
        </div>
        <InvoiceFacts history={history} store={stores.find((one) => one.merchant_id === invoice.store)} />
      </div>
      <InvoiceStory history={history} brief />
    </>
  );
}

type InvoiceDrawerProps = {
  code: string;
  rows: readonly ListedInvoice[];
  stores: readonly Store[];
};

/** One invoice beside the list, at its own URL. */
export function InvoiceDrawer({ code, rows, stores }: InvoiceDrawerProps): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const { change } = useInvoiceSearch();
  const query = useQuery(invoiceQuery(account, code));
  return (
    <Drawer
      label={t('invoices.drawer', { code })}
      head={<Steps code={code} rows={rows} />}
      onClose={() => change({ invoice: undefined })}
      returnTo={() => rowLink(code)}
    >
      <Loaded query={query} role={role} permission="invoice.see">
        {(history) => <Content history={history} stores={stores} />}
      </Loaded>
    </Drawer>
  );
}
