import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { InvoiceHistory } from '../../api/invoice-queries.ts';
import { invoiceQuery } from '../../api/invoice-queries.ts';
import { storesQuery } from '../../api/queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { TestFrame } from '../../frame/test-frame.tsx';
import { useWords } from '../../language/words.ts';
import { BigUsd, Priced } from '../../parts/amount.tsx';
import { CodeText } from '../../parts/code-text.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { ArrivedNote } from './arrived-note.tsx';
import { InvoiceActions } from './invoice-actions.tsx';
import { ExplorerLink, InvoiceFacts, PaidLine } from './invoice-facts.tsx';
import { InvoiceStory } from './invoice-story.tsx';
import { useInvoiceTitle } from './invoice-table.tsx';
import { paidTransfer, strayTransfers } from './story.ts';

function Crumb(): ReactNode {
  const t = useWords();
  const { account } = useAccount();
  return (
    <Link className="crumb" to="/m/$account/invoices" params={{ account }}>
      <Icon name="back" />
      {t('invoices.title')}
    </Link>
  );
}

function Counterfoil({ history }: { history: InvoiceHistory }): ReactNode {
  const t = useWords();
  const { account } = useAccount();
  const { data } = useQuery(storesQuery(account));
  const { invoice } = history;
  return (
    <aside className="stub" aria-label={t('invoice.summary')}>
      <div className="stub-top stack stack-s">
        <span className="small quiet">{t(paidTransfer(history) ? 'invoice.askedAndPaid' : 'arrived.asked')}</span>
        <BigUsd amount={invoice.amount} unit />
        <Priced of={invoice} className="strong" />
        <PaidLine history={history} />
      </div>
      <div className="stub-tear" aria-hidden="true" />
      <div className="stub-body stack">
        <InvoiceFacts history={history} store={data?.stores.find((one) => one.merchant_id === invoice.store)} />
        <ExplorerLink history={history} />
      </div>
    </aside>
  );
}

function Found({ history }: { history: InvoiceHistory }): ReactNode {
  const t = useWords();
  const titleOf = useInvoiceTitle();
  const { invoice } = history;
  return (
    <>
      {invoice.mode === 'test' && <TestFrame />}
      <PageHead
        title={titleOf(invoice)}
        before={<Crumb />}
        after={
          <span className="row row-wrap gap-2 pt-1">
            <StatusBadge
              status={invoice.status}
              late={invoice.late}
              cancelled={invoice.cancelled_at !== null}
              arrived={strayTransfers(history).length > 0}
            />
            <CodeText code={invoice.trans_id} label={t('invoices.copyCode')} />
          </span>
        }
        actions={<InvoiceActions history={history} />}
      />
      <div className="grid g-main">
        <div className="stack stack-l">
          <ArrivedNote history={history} />
          <InvoiceStory history={history} />
        </div>
        <Counterfoil history={history} />
      </div>
    </>
  );
}

/** An invoice with its timeline and evidence. */
export function InvoicePage(): ReactNode {
  const { account, role } = useAccount();
  const { tid = '' } = useParams({ strict: false });
  const query = useQuery(invoiceQuery(account, tid));
  return (
    <>
      {!query.data && <PageHead title={tid} before={<Crumb />} />}
      <Loaded query={query} role={role} permission="invoice.see">
        {(history) => <Found history={history} />}
      </Loaded>
    </>
  );
}
