import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import type { InvoiceHistory } from '../../api/invoice-queries.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { CancelInvoice } from './cancel-invoice.tsx';
import { PayTest } from './pay-test.tsx';
import { ResendWebhook } from './resend-webhook.tsx';

const JsonDialog = lazy(async () => ({ default: (await import('./json-dialog.tsx')).JsonDialog }));

export function InvoiceActions({ history }: { history: InvoiceHistory }): ReactNode {
  const t = useWords();
  const [reading, setReading] = useState(false);
  const { url_payment: link } = history.invoice;
  return (
    <>
      <PayTest history={history} />
      {link !== null && <CopyButton text={link}>{t('invoices.copyLink')}</CopyButton>}
      <ResendWebhook history={history} />
      <CancelInvoice history={history} />
      <Button onClick={() => setReading(true)}>{t('invoices.json')}</Button>
      {reading && (
        <Suspense>
          <JsonDialog history={history} onClose={() => setReading(false)} />
        </Suspense>
      )}
    </>
  );
}
