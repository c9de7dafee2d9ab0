import type { ReactNode } from 'react';
import type { InvoiceHistory } from '../../api/invoice-queries.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';

const INDENT = 2;

/** An invoice as the API returns it, for developers and support. */
export function JsonDialog({ history, onClose }: { history: InvoiceHistory; onClose: () => void }): ReactNode {
  const t = useWords();
  const text = JSON.stringify(history, undefined, INDENT);
  const title = t('invoices.jsonOf', { code: history.invoice.trans_id });
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.close')}</Button>
      <CopyButton text={text}>{t('copy.it')}</CopyButton>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} foot={foot}>
      <pre className="json" dir="ltr" tabIndex={0} role="region" aria-label={title}>
        {text}
      </pre>
    </Dialog>
  );
}
