import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { InvoiceHistory } from '../../api/invoice-queries.ts';
import { invoiceQuery } from '../../api/invoice-queries.ts';
import { may } from '../../api/permission.ts';
import { queryClient } from '../../api/queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { useAccount } from '../../frame/membership.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';

function CancelDialog({ code, onClose }: { code: string; onClose: () => void }): ReactNode {
  const t = useWords();
  const { account } = useAccount();
  const { run, busy, failure } = useAction(async () => {
    await call('POST /accounts/{account}/invoices/{invoice}/cancel', { path: { account, invoice: code }, body: {} });
    await queryClient.invalidateQueries(invoiceQuery(account, code));
    onClose();
  });
  const foot = (
    <>
      <Button onClick={onClose}>{t('cancel.keep')}</Button>
      <Button look="danger-main" busy={busy && t('action.saving')} onClick={run}>
        {t('cancel.do')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('cancel.title', { code })} onClose={onClose} foot={foot}>
      <p>{t('cancel.about')}</p>
      <p>{t('cancel.sent')}</p>
      <Failure cause={failure} />
    </Dialog>
  );
}

/** Cancels a waiting invoice, once confirmed. */
export function CancelInvoice({ history }: { history: InvoiceHistory }): ReactNode {
  const t = useWords();
  const { role } = useAccount();
  const [open, setOpen] = useState(false);
  const { trans_id: code, status, mode } = history.invoice;
  const isOffered = status === 'waiting' && may(role, 'invoice.create', mode === 'live');
  return (
    <>
      {isOffered && (
        <Button look="danger" onClick={() => setOpen(true)}>
          {t('cancel.do')}
        </Button>
      )}
      {open && <CancelDialog code={code} onClose={() => setOpen(false)} />}
    </>
  );
}
