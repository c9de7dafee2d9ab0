import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import type { Store } from '../api/queries.ts';
import { useWords } from '../language/words.ts';
import { CopySecret } from '../parts/copy-secret.tsx';

export function CopyKey({
  account,
  store,
}: {
  account: string;
  store: Pick<Store, 'merchant_id' | 'name'>;
}): ReactNode {
  const t = useWords();
  const path = { account, store: store.merchant_id };
  const reveal = async () =>
    (await call('POST /accounts/{account}/stores/{store}/key/reveal', { path, body: {} })).api_key;
  return (
    <CopySecret reveal={reveal} label={t('stores.copyKey', { name: store.name })} small>
      {t('copy.it')}
    </CopySecret>
  );
}
