import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { WebhookEndpoint } from '../../api/endpoint-queries.ts';
import { refreshEndpoints } from '../../api/endpoint-queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { ltr } from '../../language/ltr.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { shortUrl } from './delivery-table.tsx';
import { EventTypesField } from './event-types-field.tsx';

type EndpointDialogProps = { account: string; store: string; endpoint: WebhookEndpoint; onClose: () => void };

const CHANGE = 'PATCH /accounts/{account}/stores/{store}/endpoints/{endpoint}';
const pathOf = ({ account, store, endpoint }: EndpointDialogProps) => ({ account, store, endpoint: endpoint.endpoint });

const isolated = (url: string) => ltr(shortUrl(url));

/** Changes which events an endpoint receives. */
export function EndpointTypesDialog(props: EndpointDialogProps): ReactNode {
  const { account, store, endpoint, onClose } = props;
  const t = useWords();
  const [types, setTypes] = useState(endpoint.types);
  const { run, busy, failure } = useAction(async () => {
    if (types.length === 0) return;
    await call(CHANGE, { path: pathOf(props), body: { types } });
    await refreshEndpoints(account, store);
    onClose();
  });
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button look="main" busy={busy && t('action.saving')} onClick={run}>
        {t('endpoint.changeTypes')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('endpoint.typesOf', { url: isolated(endpoint.url) })} onClose={onClose} foot={foot}>
      <EventTypesField types={types} onChange={setTypes} needed />
      <Failure cause={failure} />
    </Dialog>
  );
}

/** Disables an endpoint, or enables it again. */
export function EndpointActivityDialog(props: EndpointDialogProps): ReactNode {
  const { account, store, endpoint, onClose } = props;
  const t = useWords();
  const enabled = endpoint.disabled_at === null;
  const { run, busy, failure } = useAction(async () => {
    await call(CHANGE, { path: pathOf(props), body: { enabled: !enabled } });
    await refreshEndpoints(account, store);
    onClose();
  });
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button look={enabled ? 'danger-main' : 'main'} busy={busy && t('action.saving')} onClick={run}>
        {enabled ? t('endpoint.disable') : t('endpoint.enable')}
      </Button>
    </>
  );
  const title = t(enabled ? 'endpoint.disableOne' : 'endpoint.enableOne', { url: isolated(endpoint.url) });
  return (
    <Dialog title={title} onClose={onClose} foot={foot}>
      <p>{t(enabled ? 'endpoint.disableAbout' : 'endpoint.enableAbout')}</p>
      <Failure cause={failure} />
    </Dialog>
  );
}

/** Deletes an endpoint. */
export function DeleteEndpointDialog(props: EndpointDialogProps): ReactNode {
  const { account, store, endpoint, onClose } = props;
  const t = useWords();
  const { run, busy, failure } = useAction(async () => {
    const path = pathOf(props);
    await call('DELETE /accounts/{account}/stores/{store}/endpoints/{endpoint}', { path });
    await refreshEndpoints(account, store);
    onClose();
  });
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button look="danger-main" busy={busy && t('action.saving')} onClick={run}>
        {t('endpoint.delete')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('endpoint.deleteOne', { url: isolated(endpoint.url) })} onClose={onClose} foot={foot}>
      <p>{t('endpoint.deleteAbout')}</p>
      <Failure cause={failure} />
    </Dialog>
  );
}
