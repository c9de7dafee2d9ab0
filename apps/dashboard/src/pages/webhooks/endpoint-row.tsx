import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../api/call.ts';
import type { WebhookEndpoint } from '../../api/endpoint-queries.ts';
import { queryClient } from '../../api/queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { CopySecret } from '../../parts/copy-secret.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { shortUrl } from './delivery-table.tsx';

export type EndpointAction = 'types' | 'rotate' | 'activity' | 'delete';

type EndpointRowProps = {
  account: string;
  store: string;
  endpoint: WebhookEndpoint;
  /** What the reader may do. */
  mayUse: boolean;
  mayChange: boolean;
  onAct: (action: EndpointAction) => void;
};

function State({ endpoint }: { endpoint: WebhookEndpoint }): ReactNode {
  const t = useWords();
  if (endpoint.disabled_at !== null)
    return (
      <Badge tone="quiet" icon="dash">
        {t('endpoint.disabled')}
      </Badge>
    );
  if (endpoint.failing_since !== null)
    return (
      <Badge tone="bad" icon="warn">
        {t('receiver.failing')}
      </Badge>
    );
  return (
    <Badge tone="good" icon="check">
      {t('endpoint.enabled')}
    </Badge>
  );
}

/** Sends a test event and shows it. */
function TestButton({ account, store, endpoint }: Pick<EndpointRowProps, 'account' | 'store' | 'endpoint'>): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const { run, busy, failure } = useAction(async () => {
    const path = { account, store, endpoint: endpoint.endpoint };
    const sent = await call('POST /accounts/{account}/stores/{store}/endpoints/{endpoint}/test', { path, body: {} });
    void queryClient.invalidateQueries({ queryKey: ['deliveries', account] });
    await navigate({ to: '/m/$account/webhooks/$delivery', params: { account, delivery: sent.event } });
  });
  return (
    <>
      <Button small icon="send" busy={busy && t('action.sending')} onClick={run}>
        {t('hooks.test')}
      </Button>
      <Failure cause={failure} />
    </>
  );
}

function MoreMenu({ account, endpoint, onAct }: Pick<EndpointRowProps, 'account' | 'endpoint' | 'onAct'>): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const search = { endpoint: endpoint.endpoint };
  const isOn = endpoint.disabled_at === null;
  const entries = [
    {
      label: t('hooks.deliveries'),
      icon: 'send' as const,
      onSelect: () => void navigate({ to: '/m/$account/webhooks', params: { account }, search }),
    },
    { label: t('endpoint.changeTypes'), icon: 'hook' as const, onSelect: () => onAct('types') },
    { label: t('secret.rotate'), icon: 'refresh' as const, onSelect: () => onAct('rotate') },
    {
      label: isOn ? t('endpoint.disable') : t('endpoint.enable'),
      icon: isOn ? ('dash' as const) : ('check' as const),
      onSelect: () => onAct('activity'),
    },
    { label: t('endpoint.delete'), icon: 'x' as const, danger: true, onSelect: () => onAct('delete') },
  ];
  return (
    <Menu
      className="b b-s b-icon"
      label={t('endpoint.actions', { url: shortUrl(endpoint.url) })}
      align="end"
      groups={[{ entries }]}
    >
      <Icon name="more" />
    </Menu>
  );
}

/** A webhook endpoint with its state, its events and what can be done with it. */
export function EndpointRow({ account, store, endpoint, mayUse, mayChange, onAct }: EndpointRowProps): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { url, types, disabled_at: disabledAt, old_secret_ends_at: oldEndsAt } = endpoint;
  const path = { account, store, endpoint: endpoint.endpoint };
  const reveal = async () =>
    (await call('POST /accounts/{account}/stores/{store}/endpoints/{endpoint}/secret/reveal', { path, body: {} }))
      .webhook_secret;
  return (
    <li>
      <div className="row-main">
        <span className="two grow gap-1.5">
          <span className="row row-wrap">
            <bdi dir="ltr" className="strong break-all">
              {shortUrl(url)}
            </bdi>
            <State endpoint={endpoint} />
          </span>
          <span className="small quiet break-words">
            <bdi dir="ltr">{types.join(' · ')}</bdi>
          </span>
          {oldEndsAt !== null && (
            <span className="small quiet">{t('secret.old', { time: moments.long(oldEndsAt) })}</span>
          )}
        </span>
        <span className="row row-wrap">
          {mayUse && disabledAt === null && <TestButton account={account} store={store} endpoint={endpoint} />}
          {mayChange && (
            <CopySecret reveal={reveal} small>
              {t('secret.copy')}
            </CopySecret>
          )}
          {mayChange && <MoreMenu account={account} endpoint={endpoint} onAct={onAct} />}
        </span>
      </div>
    </li>
  );
}
