import type { Role } from '@counterfoil/core/permission.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Answer } from '../../api/call.ts';
import { call } from '../../api/call.ts';
import { may } from '../../api/permission.ts';
import { Failure } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { CodeText } from '../../parts/code-text.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/note.tsx';

type Made = Answer<'POST /accounts/{account}/stores/{store}/invoices'>;

const AMOUNT = '12.50';

function MadeNote({ account, made }: { account: string; made: Made }): ReactNode {
  const t = useWords();
  const { trans_id: code, url_payment: address } = made;
  const actions = (
    <>
      <Link className="b b-main" to="/m/$account/invoices/$tid" params={{ account, tid: code }}>
        {t('start.openInvoice')}
      </Link>
      {address !== null && (
        // Browsers block windows opened after a delay, so this is a link.
        <a className="b" href={address} target="_blank" rel="noreferrer">
          <Icon name="ext" />
          {t('start.openCheckout')}
        </a>
      )}
    </>
  );
  return (
    <Note tone="good" title={t('start.made')} actions={actions} live>
      <p>{address === null ? t('start.noCheckout') : t('start.pressPay')}</p>
      <p className="pt-2">
        <CodeText code={code} label={t('start.copyInvoice')} />
      </p>
    </Note>
  );
}

/** Creates a test invoice. Its page and payment page have the test payer's buttons. */
export function PayTestInvoice({ account, store, role }: { account: string; store: string; role: Role }): ReactNode {
  const t = useWords();
  const [made, setMade] = useState<Made>();
  const create = useAction(async () => {
    const body = { amount: AMOUNT, name: t('start.testName') };
    setMade(await call('POST /accounts/{account}/stores/{store}/invoices', { path: { account, store }, body }));
  });
  if (!may(role, 'invoice.create', false)) return <p className="small">{t('steps.ask')}</p>;
  if (made) return <MadeNote account={account} made={made} />;
  return (
    <>
      <Button look="main" icon="plus" busy={create.busy && t('start.creating')} onClick={create.run}>
        {t('start.createTest')}
      </Button>
      <Failure cause={create.failure} />
    </>
  );
}
