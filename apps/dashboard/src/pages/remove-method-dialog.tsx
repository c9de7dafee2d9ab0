import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { networkOf } from '../api/networks.ts';
import type { Methods } from '../api/queries.ts';
import { methodsQuery, queryClient } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { useAction } from '../forms/use-action.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { WholeAddress } from '../parts/code-text.tsx';
import { Dialog } from '../parts/dialog.tsx';

type RemoveProps = { account: string; store: string; method: Methods['methods'][number]; onClose: () => void };

export function RemoveMethodDialog({ account, store, method, onClose }: RemoveProps): ReactNode {
  const t = useWords();
  const { network, address } = method;
  const { run, busy, failure } = useAction(async () => {
    const path = { account, store, network, address };
    await call('DELETE /accounts/{account}/stores/{store}/methods/{network}/{address}', { path });
    await queryClient.invalidateQueries(methodsQuery(account, store));
    onClose();
  });
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button look="danger-main" busy={busy && t('action.saving')} onClick={run}>
        {t('methods.remove')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('methods.removeOf', { name: networkOf(network).name })} onClose={onClose} foot={foot}>
      <p>{t('methods.removeAbout')}</p>
      <WholeAddress address={address} />
      <Failure cause={failure} />
    </Dialog>
  );
}
