import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { Store } from '../../api/queries.ts';
import { queryClient } from '../../api/queries.ts';
import { storeDetailsQuery } from '../../api/webhook-queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { ltr } from '../../language/ltr.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { MadeSecretDialog } from './made-secret-dialog.tsx';

const OVERLAPS = { '24': 24, '168': 168, '1': 1, '0': 0 } as const;
type Overlap = keyof typeof OVERLAPS;

type RotateSecretProps = {
  account: string;
  store: Store;
  /** The webhook endpoint whose secret it is; without one, the store's own. */
  endpoint?: string;
  onRotated?: () => Promise<void>;
  onClose: () => void;
};

/** Rotates a signing secret, by default with an overlap. */
export function RotateSecretDialog({ account, store, endpoint, onRotated, onClose }: RotateSecretProps): ReactNode {
  const t = useWords();
  const [overlap, setOverlap] = useState<Overlap>('24');
  const [secret, setSecret] = useState<string>();
  const path = { account, store: store.merchant_id };
  const { run, busy, failure } = useAction(async () => {
    const body = { overlap_hours: OVERLAPS[overlap] };
    const made =
      endpoint === undefined
        ? await call('POST /accounts/{account}/stores/{store}/webhook-secret', { path, body })
        : await call('POST /accounts/{account}/stores/{store}/endpoints/{endpoint}/secret', {
            path: { ...path, endpoint },
            body,
          });
    setSecret(made.webhook_secret);
    await onRotated?.();
    await queryClient.invalidateQueries(storeDetailsQuery(account, store.merchant_id));
  });
  const title =
    endpoint === undefined ? t('secret.rotateOf', { name: store.name }) : t('secret.rotateOf', { name: ltr(endpoint) });
  if (secret !== undefined)
    return <MadeSecretDialog title={title} note={t('secret.made')} secret={secret} onClose={onClose} />;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button look="main" busy={busy && t('action.saving')} onClick={run}>
            {t('secret.rotate')}
          </Button>
        </>
      }
    >
      <p className="quiet">{t('secret.rotateAbout')}</p>
      <Choice
        legend={t('secret.overlap')}
        value={overlap}
        onChange={setOverlap}
        options={[
          { value: '24', label: t('secret.overlap.24'), about: t('secret.overlap.24About') },
          { value: '168', label: t('secret.overlap.168') },
          { value: '1', label: t('secret.overlap.1') },
          { value: '0', label: t('secret.overlap.0'), about: t('secret.overlap.0About') },
        ]}
      />
      <Failure cause={failure} />
    </Dialog>
  );
}
