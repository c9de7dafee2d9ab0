import type { ReactNode } from 'react';
import { call } from '../../api/call.ts';
import type { StoreDetail } from '../../api/store-queries.ts';
import { refreshStore } from '../../api/store-queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';

type ActivityProps = { account: string; store: StoreDetail; onClose: () => void };

export function ActivityDialog({ account, store, onClose }: ActivityProps): ReactNode {
  const t = useWords();
  const { name, active, merchant_id: id } = store;
  const { run, busy, failure } = useAction(async () => {
    const asked = { path: { account, store: id }, body: { active: !active } };
    await call('POST /accounts/{account}/stores/{store}/activity', asked);
    await refreshStore(account, id);
    onClose();
  });
  return (
    <Dialog
      title={active ? t('store.offTitle', { name }) : t('store.onTitle', { name })}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button look={active ? 'danger-main' : 'main'} busy={busy && t('action.saving')} onClick={run}>
            {active ? t('store.switchOff') : t('store.switchOn')}
          </Button>
        </>
      }
    >
      <p>{active ? t('store.offAbout') : t('store.onAbout')}</p>
      <p className="small quiet">{t('store.mailed')}</p>
      <Failure cause={failure} />
    </Dialog>
  );
}
