import type { Role } from '@counterfoil/core/permission.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import { call } from '../../api/call.ts';
import { may } from '../../api/permission.ts';
import type { Store } from '../../api/queries.ts';
import type { StoreDetails } from '../../api/webhook-queries.ts';
import { storeDetailsQuery } from '../../api/webhook-queries.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { CopySecret } from '../../parts/copy-secret.tsx';
import { SelectField } from '../../parts/choice.tsx';
import { Section } from '../../parts/section.tsx';

const RotateSecretDialog = lazy(async () => ({
  default: (await import('./rotate-secret-dialog.tsx')).RotateSecretDialog,
}));

/** Since when a secret is used, and until when the previous one signs too. */
function SecretState({ secrets }: { secrets: StoreDetails['webhook_secrets'] }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const current = secrets.find(({ state }) => state === 'current');
  const ending = secrets.find(({ state }) => state === 'ending');
  return (
    <p className="small quiet">
      {current && t('secret.since', { time: moments.long(current.created_at) })}
      {typeof ending?.ends_at === 'number' && <> · {t('secret.old', { time: moments.long(ending.ends_at) })}</>}
    </p>
  );
}

type SecretSectionProps = { account: string; role: Role; stores: readonly Store[] };

/** The webhook signing secret: copied, never shown, and rotated with an overlap. */
export function SecretSection({ account, role, stores }: SecretSectionProps): ReactNode {
  const t = useWords();
  const usable = stores.filter(({ mode }) => may(role, 'webhook_secret.use', mode === 'live'));
  const [chosen, setChosen] = useState<string>();
  const [rotating, setRotating] = useState(false);
  const store = usable.find((one) => one.merchant_id === chosen) ?? usable[0];
  const { data } = useQuery({ ...storeDetailsQuery(account, store?.merchant_id ?? ''), enabled: store !== undefined });
  if (!store) return null;
  const path = { account, store: store.merchant_id };
  const reveal = async () =>
    (await call('POST /accounts/{account}/stores/{store}/webhook-secret/reveal', { path, body: {} })).webhook_secret;
  return (
    <Section title={t('secret.title')} about={t('secret.about')}>
      <div className="secret-row">
        <SelectField
          label={t('secret.store')}
          value={store.merchant_id}
          onChange={setChosen}
          options={usable.map((one) => ({ value: one.merchant_id, label: one.name }))}
        />
        <div className="row row-wrap">
          <CopySecret reveal={reveal}>{t('secret.copy')}</CopySecret>
          <Button icon="refresh" onClick={() => setRotating(true)}>
            {t('secret.rotate')}
          </Button>
        </div>
        {data && <SecretState secrets={data.webhook_secrets} />}
      </div>
      {rotating && (
        <Suspense>
          <RotateSecretDialog account={account} store={store} onClose={() => setRotating(false)} />
        </Suspense>
      )}
    </Section>
  );
}
