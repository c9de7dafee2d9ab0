import { toCents } from '@counterfoil/core/usd.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ShortBalance } from '../../api/balance-queries.ts';
import { balancesQuery } from '../../api/balance-queries.ts';
import { may } from '../../api/permission.ts';
import type { Store } from '../../api/queries.ts';
import { storesQuery } from '../../api/queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded, NoPermission } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Cell, Row, Table } from '../../parts/table.tsx';
import { ActivityBadge } from '../stores/activity-badge.tsx';
import { Lasts } from './store-money.tsx';

type RowProps = { store: Store; balance: ShortBalance | undefined };

function BalanceRow({ store, balance }: RowProps): ReactNode {
  const t = useWords();
  const money = useMoney();
  const { account } = useAccount();
  const { name, merchant_id: id, active } = store;
  const isBelow = balance?.available_usd.startsWith('-') ?? false;
  return (
    <Row>
      <Cell place="first">
        <span className="row gap-3">
          <span className="logo" aria-hidden="true">
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span className="two">
            <Link
              className="strong clip max-w-72 text-ink"
              dir="auto"
              to="/m/$account/balance/$store"
              params={{ account, store: id }}
              title={name}
            >
              {name}
            </Link>
            <bdi dir="ltr" className="t2 mono nowrap">
              {id}
            </bdi>
          </span>
        </span>
      </Cell>
      <Cell place="lab" label={t('stores.status')}>
        <ActivityBadge active={active} />
      </Cell>
      <Cell place="lab" label={t('balance.lasts')}>
        {balance && <Lasts balance={balance} />}
      </Cell>
      <Cell place="second" end>
        <bdi dir="ltr" className={`money${isBelow ? ' bad' : ''}`}>
          {balance && money.usd(toCents(balance.available_usd))}
        </bdi>
      </Cell>
    </Row>
  );
}

function BalanceTable({
  stores,
  balances,
}: {
  stores: readonly Store[];
  balances: readonly ShortBalance[];
}): ReactNode {
  const t = useWords();
  const columns = [
    { title: t('stores.name') },
    { title: t('stores.status') },
    { title: t('balance.lasts') },
    { title: t('balance.available'), end: true },
  ];
  return (
    <div className="card">
      <Table label={t('balance.title')} columns={columns}>
        {stores.map((store) => (
          <BalanceRow
            key={store.merchant_id}
            store={store}
            balance={balances.find((one) => one.merchant_id === store.merchant_id)}
          />
        ))}
      </Table>
    </div>
  );
}

export function BalancesPage(): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const stores = useQuery(storesQuery(account));
  const sees = may(role, 'balance.see');
  const balances = useQuery({ ...balancesQuery(account), enabled: sees });
  return (
    <>
      <PageHead title={t('balance.title')} about={t('balance.about')} />
      {sees ? (
        <Loaded query={stores} role={role} permission="balance.see" bones="table">
          {({ stores: all }) => {
            const live = all.filter(({ mode }) => mode === 'live');
            if (live.length > 0) {
              return (
                <Loaded query={balances} role={role} permission="balance.see" bones="table">
                  {(found) => <BalanceTable stores={live} balances={found} />}
                </Loaded>
              );
            }
            return (
              <Empty
                icon="balance"
                title={t('balance.none')}
                actions={
                  <Link className={buttonClass('main')} to="/m/$account/stores" params={{ account }}>
                    {t('stores.go')}
                  </Link>
                }
              >
                {t('balance.noneAbout')}
              </Empty>
            );
          }}
        </Loaded>
      ) : (
        <NoPermission role={role} permission="balance.see" />
      )}
    </>
  );
}
