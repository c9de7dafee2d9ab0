import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import { may } from '../../api/permission.ts';
import type { ApiKey, StoreDetail } from '../../api/store-queries.ts';
import { storeQuery } from '../../api/store-queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Loaded, NoPermission } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { Cell, Row, Table } from '../../parts/table.tsx';
import { useNowMs } from '../../parts/use-now.ts';
import { CopyKey } from '../copy-key.tsx';
import { EndKeyDialog } from './end-key-dialog.tsx';
import { recentCalls } from './overlap.ts';
import { StoreHead } from './store-head.tsx';

const RegenerateDialog = lazy(async () => ({ default: (await import('./regenerate-dialog.tsx')).RegenerateDialog }));

function KeyState({ apiKey }: { apiKey: ApiKey }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const nowMs = useNowMs();
  const { state, ends_at: endsAt } = apiKey;
  if (state === 'current' || endsAt === null) {
    return (
      <Badge tone="good" icon="check">
        {t('key.works')}
      </Badge>
    );
  }
  if (state === 'ended') {
    return (
      <Badge tone="quiet" icon="dash">
        {t('key.ended', { time: moments.within(endsAt) })}
      </Badge>
    );
  }
  return (
    <Badge tone="warn" icon="clock">
      {t('key.endsIn', { left: moments.left(endsAt, nowMs) })}
    </Badge>
  );
}

function KeyRow({ apiKey, actions }: { apiKey: ApiKey; actions: ReactNode }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { api_key_hint: hint, last_used_at: usedAt, created_at: createdAt } = apiKey;
  const total = apiKey.days.reduce((sum, { calls }) => sum + calls, 0);
  return (
    <Row>
      <Cell place="first">
        <bdi dir="ltr">
          <code className="nowrap">{hint}</code>
        </bdi>
      </Cell>
      <Cell place="second">
        <KeyState apiKey={apiKey} />
      </Cell>
      <Cell place="lab" label={t('key.createdAt')}>
        <span className="quiet num nowrap">{moments.short(createdAt)}</span>
      </Cell>
      <Cell place="lab" label={t('key.lastUse')}>
        <span className="quiet num nowrap">{usedAt === null ? t('key.never') : moments.short(usedAt)}</span>
      </Cell>
      <Cell place="lab" label={t('key.recent')} end>
        <span className="num">
          {recentCalls(apiKey.days, Date.now()).toLocaleString(document.documentElement.lang)}
        </span>
      </Cell>
      <Cell place="lab" label={t('key.month')} end>
        <span className="num">{total.toLocaleString(document.documentElement.lang)}</span>
      </Cell>
      <Cell place="wide" end>
        {actions}
      </Cell>
    </Row>
  );
}

function KeyTable({ account, store }: { account: string; store: StoreDetail }): ReactNode {
  const t = useWords();
  const [open, setOpen] = useState<'regenerate' | ApiKey>();
  const close = () => setOpen(undefined);
  const present = store.api_keys.find(({ state }) => state === 'current');
  const owner = { ...store, api_key_hint: present?.api_key_hint ?? null };
  const columns = [
    { title: t('stores.key') },
    { title: t('stores.status') },
    { title: t('key.createdAt') },
    { title: t('key.lastUse') },
    { title: t('key.recent'), end: true },
    { title: t('key.month'), end: true },
    { title: t('table.actions'), end: true, hidden: true },
  ];
  const actionsOf = (apiKey: ApiKey) => {
    if (apiKey.state === 'current') return <CopyKey account={account} store={owner} />;
    if (apiKey.state === 'ended') return null;
    return (
      <Button small look="danger" onClick={() => setOpen(apiKey)}>
        {t('key.endNow')}
      </Button>
    );
  };
  return (
    <Section
      title={t('store.keys')}
      about={t('key.pageAbout')}
      actions={
        <Button icon="refresh" onClick={() => setOpen('regenerate')}>
          {t('key.make')}
        </Button>
      }
    >
      <Table label={t('store.keys')} columns={columns}>
        {store.api_keys.map((apiKey) => (
          <KeyRow key={`${apiKey.api_key_hint} ${apiKey.created_at}`} apiKey={apiKey} actions={actionsOf(apiKey)} />
        ))}
      </Table>
      <p className="card-foot">{t('key.foot')}</p>
      <Suspense>
        {open === 'regenerate' && <RegenerateDialog account={account} store={owner} onClose={close} />}
      </Suspense>
      {open !== undefined && open !== 'regenerate' && (
        <EndKeyDialog account={account} store={store.merchant_id} name={store.name} apiKey={open} onClose={close} />
      )}
    </Section>
  );
}

/** A store's API keys: which are active, until when, and their use. */
export function KeysPage(): ReactNode {
  const { account, role } = useAccount();
  const { store: id } = useParams({ from: '/signed-in/m/$account/stores/$store/keys' });
  const query = useQuery(storeQuery(account, id));
  return (
    <>
      <StoreHead id={id} />
      <Loaded query={query} role={role} permission="api_key.use">
        {(store) =>
          may(role, 'api_key.use', store.mode === 'live') ? (
            <KeyTable account={account} store={store} />
          ) : (
            <NoPermission role={role} permission="api_key.use" />
          )
        }
      </Loaded>
    </>
  );
}
