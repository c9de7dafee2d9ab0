import type { ReactNode } from 'react';
import { call } from '../../api/call.ts';
import type { ApiKey } from '../../api/store-queries.ts';
import { refreshStore } from '../../api/store-queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { ltr } from '../../language/ltr.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Note } from '../../parts/note.tsx';
import { recentCalls } from './overlap.ts';

type EndKeyProps = { account: string; store: string; name: string; apiKey: ApiKey; onClose: () => void };

export function EndKeyDialog({ account, store, name, apiKey, onClose }: EndKeyProps): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { run, busy, failure } = useAction(async () => {
    await call('POST /accounts/{account}/stores/{store}/key/end-old', { path: { account, store }, body: {} });
    await refreshStore(account, store);
    onClose();
  });
  const { last_used_at: usedAt, api_key_hint: hint } = apiKey;
  const calls = recentCalls(apiKey.days, Date.now());
  return (
    <Dialog
      title={t('key.endTitle', { name })}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button look="danger-main" busy={busy && t('action.saving')} onClick={run}>
            {t('key.endDo')}
          </Button>
        </>
      }
    >
      <p>{t('key.endAbout', { hint: ltr(hint) })}</p>
      <Note tone={calls > 0 ? 'warn' : 'info'} title={usedAt === null ? t('key.unused') : t('key.calls', { calls })}>
        {usedAt !== null && <p className="small">{t('key.used', { time: moments.within(usedAt) })}</p>}
      </Note>
      <Failure cause={failure} />
    </Dialog>
  );
}
