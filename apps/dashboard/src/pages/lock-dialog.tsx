import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { meQuery, queryClient } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { useAction } from '../forms/use-action.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';

/** Locks all payment-method changes. It only protects, so no step-up is required. */
export function LockDialog({ account, onClose }: { account: string; onClose: () => void }): ReactNode {
  const t = useWords();
  const { run, busy, failure } = useAction(async () => {
    await call('POST /accounts/{account}/lock', { path: { account }, body: {} });
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['methods', account] }),
      queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
    ]);
    onClose();
  });
  const stopped = [t('locked.pending'), t('locked.changes'), t('locked.keys')];
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button look="danger-main" icon="lock" busy={busy && t('action.saving')} onClick={run}>
        {t('lock.do')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('lock.title')} onClose={onClose} foot={foot}>
      <ul className="stack stack-s">
        {stopped.map((text) => (
          <li key={text} className="row items-start">
            <span className="bad">
              <Icon name="x" />
            </span>
            <span>{text}</span>
          </li>
        ))}
        <li className="row items-start">
          <span className="good">
            <Icon name="check" />
          </span>
          <span>{t('locked.goesOn')}</span>
        </li>
      </ul>
      <Failure cause={failure} />
    </Dialog>
  );
}
