import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import type { Topup } from '../../api/balance-queries.ts';
import { topupQuery } from '../../api/balance-queries.ts';
import { queryClient } from '../../api/queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { useMoments } from '../../language/moments.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { CodeText } from '../../parts/code-text.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { QrCode } from '../../parts/qr-code.tsx';
import { useNowMs } from '../../parts/use-now.ts';

function Open({ url, expiresAt }: { url: string; expiresAt: number | null }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const nowMs = useNowMs();
  return (
    <>
      <p className="quiet">{t('topup.payAbout')}</p>
      <QrCode text={url} label={t('topup.qr')} />
      <div className="row row-wrap justify-center">
        <a className={buttonClass('main')} href={url} target="_blank" rel="noopener">
          {t('topup.go')}
          <Icon name="ext" />
        </a>
        <CopyButton text={url}>{t('topup.copy')}</CopyButton>
      </div>
      <p className="row justify-center small" role="status">
        <span className="pulse" aria-hidden="true" />
        {expiresAt === null ? t('topup.waiting') : t('topup.waitingFor', { left: moments.left(expiresAt, nowMs) })}
      </p>
    </>
  );
}

function State({ topup }: { topup: Topup }): ReactNode {
  const t = useWords();
  const money = useMoney();
  const { state, url_payment: url, amount } = topup;
  if (state === 'credited') {
    return (
      <Note tone="good" title={t('topup.credited', { sum: money.usd(amount, { signed: true }) })} live>
        <p>{t('topup.creditedAbout')}</p>
      </Note>
    );
  }
  if (state === 'failed') {
    return (
      <Note tone="bad" title={t('topup.failed')} live>
        <p>{t('topup.failedAbout')}</p>
      </Note>
    );
  }
  if (state === 'ended') {
    return (
      <Note tone="warn" icon="clock" title={t('topup.ended')} live>
        <p>{t('topup.endedAbout')}</p>
      </Note>
    );
  }
  if (url !== null) return <Open url={url} expiresAt={topup.expires_at} />;
  return (
    <p className="quiet" role="status">
      {t('topup.opening')}
    </p>
  );
}

type PaymentProps = {
  account: string;
  store: string;
  name: string;
  code: string;
  onClose: () => void;
  onNew: () => void;
};

/** A pending top-up: the link to the checkout, until it is credited. */
export function TopupPayment({ account, store, name, code, onClose, onNew }: PaymentProps): ReactNode {
  const t = useWords();
  const money = useMoney();
  const { role } = useAccount();
  const query = useQuery(topupQuery(account, store, code));
  const state = query.data?.state;
  useEffect(() => {
    if (state !== 'credited') return;
    for (const key of ['balance', 'balances', 'entries'])
      void queryClient.invalidateQueries({ queryKey: [key, account] });
  }, [state, account]);
  const isOver = state === 'ended' || state === 'failed';
  return (
    <Dialog
      title={query.data ? t('topup.payTitle', { sum: money.usd(query.data.amount), name }) : t('topup.title', { name })}
      onClose={onClose}
      sticky
      foot={
        <>
          {isOver && <Button onClick={onNew}>{t('topup.again')}</Button>}
          <Button look={state === 'credited' ? 'main' : 'plain'} onClick={onClose}>
            {state === 'credited' ? t('action.done') : t('action.close')}
          </Button>
        </>
      }
    >
      <Loaded query={query} role={role} permission="balance.see">
        {(topup) => (
          <>
            <State topup={topup} />
            <p className="small quiet row row-wrap justify-center">
              {t('topup.code')} <CodeText code={topup.topup} label={t('topup.copyCode')} />
            </p>
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
