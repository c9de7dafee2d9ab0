import type { ReactNode } from 'react';
import { call } from '../../api/call.ts';
import type { Store } from '../../api/queries.ts';
import { useWords } from '../../language/words.ts';
import { CopySecret } from '../../parts/copy-secret.tsx';

export function CopyWebhookSecret({ account, store }: { account: string; store: Store }): ReactNode {
  const t = useWords();
  const path = { account, store: store.merchant_id };
  const reveal = async () =>
    (await call('POST /accounts/{account}/stores/{store}/webhook-secret/reveal', { path, body: {} })).webhook_secret;
  return (
    <CopySecret reveal={reveal} label={t('start.copySecret', { name: store.name })} small>
      {t('copy.it')}
    </CopySecret>
  );
}
