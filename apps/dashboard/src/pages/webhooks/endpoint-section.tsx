import type { Role } from '@counterfoil/core/permission.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import type { WebhookEndpoint } from '../../api/endpoint-queries.ts';
import { endpointsQuery, refreshEndpoints } from '../../api/endpoint-queries.ts';
import { may } from '../../api/permission.ts';
import type { Store } from '../../api/queries.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField } from '../../parts/choice.tsx';
import { LoadedPart } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import type { EndpointAction } from './endpoint-row.tsx';
import { EndpointRow } from './endpoint-row.tsx';

const AddEndpointDialog = lazy(async () => ({
  default: (await import('./add-endpoint-dialog.tsx')).AddEndpointDialog,
}));
const dialogs = () => import('./change-endpoint-dialogs.tsx');
const EndpointTypesDialog = lazy(async () => ({ default: (await dialogs()).EndpointTypesDialog }));
const EndpointActivityDialog = lazy(async () => ({ default: (await dialogs()).EndpointActivityDialog }));
const DeleteEndpointDialog = lazy(async () => ({ default: (await dialogs()).DeleteEndpointDialog }));
const RotateSecretDialog = lazy(async () => ({
  default: (await import('./rotate-secret-dialog.tsx')).RotateSecretDialog,
}));

type Open = 'add' | { action: EndpointAction; endpoint: WebhookEndpoint } | undefined;

type DialogsProps = { account: string; store: Store; open: Open; onClose: () => void };

function Dialogs({ account, store, open, onClose }: DialogsProps): ReactNode {
  if (open === undefined) return null;
  if (open === 'add') return <AddEndpointDialog account={account} store={store} onClose={onClose} />;
  const { action, endpoint } = open;
  const props = { account, store: store.merchant_id, endpoint, onClose };
  if (action === 'types') return <EndpointTypesDialog {...props} />;
  if (action === 'activity') return <EndpointActivityDialog {...props} />;
  if (action === 'delete') return <DeleteEndpointDialog {...props} />;
  return (
    <RotateSecretDialog
      account={account}
      store={store}
      endpoint={endpoint.endpoint}
      onRotated={() => refreshEndpoints(account, store.merchant_id)}
      onClose={onClose}
    />
  );
}

type EndpointSectionProps = { account: string; role: Role; stores: readonly Store[] };

/** The webhook endpoints of a store. */
export function EndpointSection({ account, role, stores }: EndpointSectionProps): ReactNode {
  const t = useWords();
  const [chosen, setChosen] = useState<string>();
  const [open, setOpen] = useState<Open>();
  const store = stores.find((one) => one.merchant_id === chosen) ?? stores[0];
  const query = useQuery({ ...endpointsQuery(account, store?.merchant_id ?? ''), enabled: store !== undefined });
  if (!store) return null;
  const live = store.mode === 'live';
  const mayChange = may(role, 'webhook_secret.use', live);
  const isFull = query.data !== undefined && query.data.endpoints.length >= query.data.most;
  const actions = mayChange && !isFull && (
    <Button icon="plus" onClick={() => setOpen('add')}>
      {t('endpoint.add')}
    </Button>
  );
  return (
    <Section title={t('endpoint.title')} about={t('endpoint.about')} actions={actions}>
      {stores.length > 1 && (
        <div className="secret-row">
          <SelectField
            label={t('secret.store')}
            value={store.merchant_id}
            onChange={setChosen}
            options={stores.map((one) => ({ value: one.merchant_id, label: one.name }))}
          />
        </div>
      )}
      <LoadedPart query={query}>
        {({ endpoints, most }) =>
          endpoints.length === 0 ? (
            <p className="card-body quiet">{t('endpoint.none')}</p>
          ) : (
            <>
              <ul className="rows" aria-label={t('endpoint.title')}>
                {endpoints.map((endpoint) => (
                  <EndpointRow
                    key={endpoint.endpoint}
                    account={account}
                    store={store.merchant_id}
                    endpoint={endpoint}
                    mayUse={may(role, 'delivery.use', live)}
                    mayChange={mayChange}
                    onAct={(action) => setOpen({ action, endpoint })}
                  />
                ))}
              </ul>
              {isFull && <p className="card-foot">{t('endpoint.full', { most })}</p>}
            </>
          )
        }
      </LoadedPart>
      <Suspense>
        <Dialogs account={account} store={store} open={open} onClose={() => setOpen(undefined)} />
      </Suspense>
    </Section>
  );
}
