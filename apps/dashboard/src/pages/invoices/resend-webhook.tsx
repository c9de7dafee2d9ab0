import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { InvoiceHistory } from '../../api/invoice-queries.ts';
import { invoiceQuery } from '../../api/invoice-queries.ts';
import { may } from '../../api/permission.ts';
import { queryClient } from '../../api/queries.ts';
import { failureText } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { useAccount } from '../../frame/membership.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';

/** Sends an invoice's last event again. */
export function ResendWebhook({ history }: { history: InvoiceHistory }): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const [sent, setSent] = useState(false);
  const { invoice, deliveries } = history;
  const event = deliveries?.at(-1)?.event;
  const { run, busy, failure } = useAction(async () => {
    if (event === undefined) return;
    await call('POST /accounts/{account}/events/{event}/redeliver', { path: { account, event }, body: {} });
    setSent(true);
    await queryClient.invalidateQueries(invoiceQuery(account, invoice.trans_id));
  });
  if (event === undefined || !may(role, 'delivery.use', invoice.mode === 'live')) return null;
  return (
    <>
      <Button icon={sent ? 'check' : 'refresh'} busy={busy && t('action.sending')} onClick={run}>
        {t('hook.resend')}
      </Button>
      <span className={failure === undefined ? 'vh' : 'small bad'} role="status">
        {failure === undefined ? sent && t('hook.resent') : failureText(t, failure)}
      </span>
    </>
  );
}
