import type { Role } from '@counterfoil/core/permission.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import { balancesQuery } from '../api/balance-queries.ts';
import { may } from '../api/permission.ts';
import type { Store } from '../api/queries.ts';
import { storesQuery } from '../api/queries.ts';
import { useAccount } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { ModeBadge } from '../parts/badge.tsx';
import { Button } from '../parts/button.tsx';
import { CodeText } from '../parts/code-text.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Cell, Row, Table } from '../parts/table.tsx';
import { StoreMoney } from './balance/store-money.tsx';
import { ApprovalNote } from './approval-note.tsx';
import { CopyKey } from './copy-key.tsx';
import { FactorNote } from './factor-note.tsx';
import { ActivityBadge } from './stores/activity-badge.tsx';

const KeyLine = lazy(async () => ({ default: (await import('./stores/key-line.tsx')).KeyLine }));
const RegenerateDialog = lazy(async () => ({
  default: (await import('./stores/regenerate-dialog.tsx')).RegenerateDialog,
}));
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
          className="strong clip max-w-40 text-ink"
          dir="auto"
          to="/m/$account/stores/$store/methods"
          params={{ account, store: id }}
          title={name}
        >
          {name}
        </Link>
      ) : (
        <span className="strong clip max-w-40" dir="auto" title={name}>
          {name}
        </span>
      )}
    </span>
  );
}

type RowProps = { store: Store; account: string; role: Role };

/** The recognisable key, its actions, and its last use. */
function KeyCell({ store, account, role }: RowProps): ReactNode {
  const t = useWords();
  const [open, setOpen] = useState(false);
  const { name, mode, api_key_hint: hint } = store;
  if (hint === null) return <span className="quiet">{t('stores.noKey')}</span>;
  if (!may(role, 'api_key.use', mode === 'live')) return <KeyHint hint={hint} />;
  return (
    <span className="two key-cell">
      <span className="row keyrow">
        <KeyHint hint={hint} />
        <span className="row gap-1.5">
          <CopyKey account={account} store={store} />
          <Button small aria-label={t('key.regenerateOf', { name })} onClick={() => setOpen(true)}>
            {t('key.regenerate')}
          </Button>
        </span>
      </span>
      <Suspense fallback={<span className="t2">{'\u00a0'}</span>}>
        <KeyLine account={account} store={store} />
      </Suspense>
      {open && (
        <Suspense>
          <RegenerateDialog account={account} store={store} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </span>
  );
}

function KeyHint({ hint }: { hint: string }): ReactNode {
  return (
    <bdi dir="ltr">
      <code className="nowrap">{hint}</code>
    </bdi>
  );
}

function StoreRow({ store, account, role, money }: RowProps & { money: ReactNode }): ReactNode {
  const t = useWords();
  const { name, merchant_id: id, mode, active } = store;
  return (
    <Row>
      <Cell place="first">
        <StoreName store={store} account={account} role={role} />
      </Cell>
      <Cell place="second">
        <ModeBadge mode={mode} />
      </Cell>
      <Cell place="wide">
        <KeyCell store={store} account={account} role={role} />
      </Cell>
      <Cell place="lab" label={t('stores.merchantId')}>
        <CodeText code={id} label={t('stores.copyId', { name })} />
      </Cell>
      {money !== undefined && (
        <Cell place="lab" label={t('stores.balance')} end>
          {money}
        </Cell>
      )}
      <Cell place="lab" label={t('stores.status')}>
        <ActivityBadge active={active} />
      </Cell>
    </Row>
  );
}

function StoreTable({ stores, account, role }: { stores: readonly Store[]; account: string; role: Role }): ReactNode {
  const t = useWords();
  const seesMoney = may(role, 'balance.see');
  const balances = useQuery({ ...balancesQuery(account), enabled: seesMoney });
  const columns = [
    { title: t('stores.name') },
    { title: t('stores.mode') },
    { title: t('stores.key') },
    { title: t('stores.merchantId') },
    ...(seesMoney ? [{ title: t('stores.balance'), end: true }] : []),
    { title: t('stores.status') },
  ];
  const moneyOf = ({ merchant_id: id, mode }: Store) => (
    <StoreMoney
      account={account}
      store={id}
      isTest={mode === 'test'}
      balance={balances.data?.find((one) => one.merchant_id === id)}
    />
  );
  const copies = stores.some(({ mode }) => may(role, 'api_key.use', mode === 'live'));
  return (
    <>
      <div className="card">
        <Table label={t('stores.title')} columns={columns}>
          {stores.map((store) => (
            <StoreRow
              key={store.merchant_id}
              store={store}
              account={account}
              role={role}
              money={seesMoney ? moneyOf(store) : undefined}
            />
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
      <ApprovalNote />
      <FactorNote />
      <Loaded query={query} role={role} permission="invoice.see" bones="table">
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
