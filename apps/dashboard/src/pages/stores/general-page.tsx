import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { may } from '../../api/permission.ts';
import type { StoreDetail } from '../../api/store-queries.ts';
import { storeQuery } from '../../api/store-queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { CodeText } from '../../parts/code-text.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { ActivityBadge } from './activity-badge.tsx';
import { ActivityDialog } from './activity-dialog.tsx';
import { SettingsForm } from './settings-form.tsx';
import { StoreHead } from './store-head.tsx';

/** Facts of a store that never change, for support. */
function Facts({ store }: { store: StoreDetail }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  return (
    <Section title={t('store.facts')}>
      <dl className="dl card-body">
        <div>
          <dt>{t('stores.merchantId')}</dt>
          <dd>
            <CodeText code={store.merchant_id} label={t('stores.copyId', { name: store.name })} />
          </dd>
        </div>
        <div>
          <dt>{t('stores.mode')}</dt>
          <dd>{store.mode === 'live' ? t('stores.liveMode') : t('stores.testMode')}</dd>
        </div>
        <div>
          <dt>{t('store.created')}</dt>
          <dd>{moments.long(store.created_at)}</dd>
        </div>
      </dl>
    </Section>
  );
}

function Activity({ store, mayChange }: { store: StoreDetail; mayChange: boolean }): ReactNode {
  const t = useWords();
  const { account } = useAccount();
  const [open, setOpen] = useState(false);
  return (
    <Section
      title={t('stores.status')}
      about={store.active ? t('store.activeAbout') : t('store.inactiveAbout')}
      actions={<ActivityBadge active={store.active} />}
    >
      {mayChange && (
        <div className="card-body">
          <Button look={store.active ? 'danger' : 'plain'} onClick={() => setOpen(true)}>
            {store.active ? t('store.switchOff') : t('store.switchOn')}
          </Button>
        </div>
      )}
      {open && <ActivityDialog account={account} store={store} onClose={() => setOpen(false)} />}
    </Section>
  );
}

export function GeneralPage(): ReactNode {
  const { account, role } = useAccount();
  const { store: id } = useParams({ from: '/signed-in/m/$account/stores/$store' });
  const query = useQuery(storeQuery(account, id));
  return (
    <>
      <StoreHead id={id} />
      <Loaded query={query} role={role} permission="invoice.see">
        {(store) => {
          const mayChange = may(role, 'store.change', store.mode === 'live');
          return (
            <div className="grid g-main">
              <SettingsForm key={id} account={account} store={store} mayChange={mayChange} />
              <div className="stack">
                <Facts store={store} />
                <Activity store={store} mayChange={mayChange} />
              </div>
            </div>
          );
        }}
      </Loaded>
    </>
  );
}
