import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import type { Role } from '../api/permission.ts';
import { may } from '../api/permission.ts';
import type { Store } from '../api/queries.ts';
import { storesQuery } from '../api/queries.ts';
import { useAccount } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { Badge, ModeBadge } from '../parts/badge.tsx';
import { Button } from '../parts/button.tsx';
import { CodeText } from '../parts/code-text.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Cell, Row, Table } from '../parts/table.tsx';
import { CopyKey } from './copy-key.tsx';
import { FactorNote } from './factor-note.tsx';

const NewStoreDialog = lazy(async () => ({ default: (await import('./new-store-dialog.tsx')).NewStoreDialog }));

function StoreName({ store, account, role }: { store: Store; account: string; role: Role }): ReactNode {
  const { name, merchant_id: id } = store;
  return (
    <span className="row gap-3">
      <span className="logo" aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
      {may(role, 'method.see') ? (
        <Link
          className="strong clip max-w-72 text-ink"
          dir="auto"
          to="/m/$account/stores/$store/methods"
          params={{ account, store: id }}
          title={name}
        >
          {name}
        </Link>
      ) : (
        <span className="strong clip max-w-72" dir="auto" title={name}>
          {name}
        </span>
      )}
    </span>
  );
}

function StoreRow({ store, account, role }: { store: Store; account: string; role: Role }): ReactNode {
  const t = useWords();
  const { name, merchant_id: id, mode, api_key_hint: hint, active } = store;
  return (
    <Row>
      <Cell place="first">
        <StoreName store={store} account={account} role={role} />
      </Cell>
      <Cell place="second">
        <ModeBadge mode={mode} />
      </Cell>
      <Cell place="lab" label={t('stores.key')}>
        {hint === null ? (
          <span className="quiet">{t('stores.noKey')}</span>
        ) : (
          <span className="row keyrow">
            <bdi dir="ltr">
              <code className="nowrap">{hint}</code>
            </bdi>
            {may(role, 'api_key.use', mode === 'live') && <CopyKey account={account} store={store} />}
          </span>
        )}
      </Cell>
      <Cell place="lab" label={t('stores.merchantId')}>
        <CodeText code={id} label={t('stores.copyId', { name })} />
      </Cell>
      <Cell place="lab" label={t('stores.status')}>
        {active ? (
          <Badge tone="good" icon="check">
            {t('stores.active')}
          </Badge>
        ) : (
          <Badge tone="quiet" icon="dash">
            {t('stores.inactive')}
          </Badge>
        )}
      </Cell>
    </Row>
  );
}

function StoreTable({ stores, account, role }: { stores: readonly Store[]; account: string; role: Role }): ReactNode {
  const t = useWords();
  const columns = ['stores.name', 'stores.mode', 'stores.key', 'stores.merchantId', 'stores.status'] as const;
  const copies = stores.some(({ mode }) => may(role, 'api_key.use', mode === 'live'));
  return (
    <>
      <div className="card">
        <Table label={t('stores.title')} columns={columns.map((key) => ({ title: t(key) }))}>
          {stores.map((store) => (
            <StoreRow key={store.merchant_id} store={store} account={account} role={role} />
          ))}
        </Table>
      </div>
      {copies && (
        <p className="small quiet row items-start">
          <Icon name="info" />
          <span>{t('stores.copyAbout')}</span>
        </p>
      )}
    </>
  );
}

export function StoresPage(): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const [creating, setCreating] = useState(false);
  const query = useQuery(storesQuery(account));
  const mayCreate = may(role, 'store.change', false);
  const create = mayCreate && (
    <Button look="main" icon="plus" onClick={() => setCreating(true)}>
      {t('stores.new')}
    </Button>
  );
  const isEmpty = query.data?.stores.length === 0;
  return (
    <>
      <PageHead title={t('stores.title')} about={t('stores.about')} actions={!isEmpty && create} />
      <FactorNote />
      <Loaded query={query} role={role} permission="invoice.see">
        {({ stores }) =>
          isEmpty ? (
            <Empty icon="store" title={t('stores.none')} actions={create}>
              {mayCreate ? t('stores.noneAbout') : t('stores.noneAsk')}
            </Empty>
          ) : (
            <StoreTable stores={stores} account={account} role={role} />
          )
        }
      </Loaded>
      {creating && (
        <Suspense>
          <NewStoreDialog account={account} role={role} onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </>
  );
}
