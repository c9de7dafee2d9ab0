import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lazy, Suspense } from 'react';
import type { Balance, ShortBalance } from '../../api/balance-queries.ts';
import { balanceQuery, balancesQuery, daysQuery } from '../../api/balance-queries.ts';
import { may } from '../../api/permission.ts';
import { storeQuery } from '../../api/store-queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { TestFrame } from '../../frame/test-frame.tsx';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { buttonClass } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useNowMs } from '../../parts/use-now.ts';
import { useStore } from '../stores/store-head.tsx';
import { LowBalanceCard } from './low-balance-card.tsx';
import type { MonthSpan } from './month.ts';
import { monthOf, spanOf } from './month.ts';
import { Statement } from './statement.tsx';
import { Lasts } from './store-money.tsx';

const TopupDialog = lazy(async () => ({ default: (await import('./topup-dialog.tsx')).TopupDialog }));

const ROUTE = '/signed-in/m/$account/balance/$store';

type FiguresProps = { store: string; balance: Balance; short: ShortBalance | undefined; span: MonthSpan };

function Figures({ store, balance, short, span }: FiguresProps): ReactNode {
  const t = useWords();
  const money = useMoney();
  const { account } = useAccount();
  const totals = useQuery(daysQuery(account, store, span.days)).data?.totals;
  const isBelow = balance.available.startsWith('-');
  return (
    <div className="figs figs-3">
      <div className="fig">
        <span className="k">{t('balance.available')}</span>
        <bdi dir="ltr" className={`v${isBelow ? ' bad' : ''}`}>
          {money.usd(balance.available)}
        </bdi>
        <span className="d">{short && <Lasts balance={short} />}</span>
      </div>
      <div className="fig">
        <span className="k">{t('balance.held')}</span>
        <bdi dir="ltr" className="v">
          {money.usd(balance.held)}
        </bdi>
        <span className="d">{balance.held_is_partial ? t('balance.heldPartly') : t('balance.heldAbout')}</span>
      </div>
      <div className="fig">
        <span className="k">{t('balance.fees')}</span>
        <bdi dir="ltr" className="v">
          {typeof totals?.fee_usd === 'string' ? money.usd(totals.fee_usd) : '\u00a0'}
        </bdi>
        <span className="d">{totals && t('statement.paid', { paid: totals.completed })}</span>
      </div>
    </div>
  );
}

/** The meaning of a low or empty balance, and what continues. */
function BalanceNote({ balance, short }: { balance: Balance; short: ShortBalance | undefined }): ReactNode {
  const t = useWords();
  const money = useMoney();
  const isBelow = balance.available.startsWith('-');
  if (!isBelow && !short?.low) return null;
  const isOver = isBelow || short?.days_left === 0;
  return (
    <Note tone={isOver ? 'bad' : 'warn'} title={isOver ? t('balance.over') : t('balance.low')}>
      <p>
        {isOver ? t('balance.overAbout') : t('balance.lowAbout')}{' '}
        {/[1-9]/.test(balance.overdraft) && t('balance.overdraft', { sum: money.usd(balance.overdraft) })}
      </p>
    </Note>
  );
}

function Content({ store, balance }: { store: string; balance: Balance }): ReactNode {
  const nowMs = useNowMs();
  const { account, role } = useAccount();
  const { month = monthOf(nowMs) } = useSearch({ from: ROUTE });
  const span = spanOf(month, nowMs);
  const short = useQuery(balancesQuery(account)).data?.find((one) => one.merchant_id === store);
  const createdAt = useQuery(storeQuery(account, store)).data?.created_at;
  const first = createdAt === undefined ? month : monthOf(createdAt * SECOND_MS);
  return (
    <>
      <BalanceNote balance={balance} short={short} />
      <div className="grid g-main">
        <div className="stack gap-5">
          <Figures store={store} balance={balance} short={short} span={span} />
          <Statement store={store} month={month} span={span} first={first} />
        </div>
        <LowBalanceCard
          key={store}
          account={account}
          store={store}
          balance={balance}
          mayChange={may(role, 'balance.top_up', true)}
        />
      </div>
    </>
  );
}

function Actions({ store, balance }: { store: string; balance: Balance | undefined }): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const params = { account, store };
  return (
    <>
      {may(role, 'export.make') && (
        <Link
          className={buttonClass()}
          to="/m/$account/exports"
          params={{ account }}
          search={{ new: 'statement', store }}
        >
          <Icon name="export" />
          {t('balance.export')}
        </Link>
      )}
      {balance?.top_ups_offered && may(role, 'balance.top_up', true) && (
        <Link
          className={buttonClass('main')}
          to="/m/$account/balance/$store"
          params={params}
          search={(before) => ({ ...before, topup: 'new' })}
        >
          <Icon name="plus" />
          {t('topup.do')}
        </Link>
      )}
    </>
  );
}

/** A store's balance, statement and top-ups. */
export function BalancePage(): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const { store: id } = useParams({ from: ROUTE });
  const { topup } = useSearch({ from: ROUTE });
  const store = useStore(id);
  const isTest = store?.mode === 'test';
  const query = useQuery({ ...balanceQuery(account, id), enabled: !isTest });
  const back = (
    <Link className="crumb" to="/m/$account/balance" params={{ account }}>
      <Icon name="back" />
      {t('balance.all')}
    </Link>
  );
  return (
    <>
      {isTest && <TestFrame />}
      <PageHead
        title={store ? t('balance.of', { name: store.name }) : t('balance.title')}
        about={t('balance.about')}
        before={back}
        actions={!isTest && <Actions store={id} balance={query.data} />}
      />
      {isTest ? (
        <Empty icon="balance" title={t('balance.test')}>
          {t('balance.testAbout')}
        </Empty>
      ) : (
        <Loaded query={query} role={role} permission="balance.see" bones="figures">
          {(balance) => (
            <>
              {!balance.top_ups_offered && may(role, 'balance.top_up', true) && (
                <Note tone="info" title={t('topup.notOffered')}>
                  <p>{t('topup.notOfferedAbout')}</p>
                </Note>
              )}
              <Content store={id} balance={balance} />
              {topup !== undefined && (
                <Suspense>
                  <TopupDialog key={topup} account={account} store={id} name={store?.name ?? id} code={topup} />
                </Suspense>
              )}
            </>
          )}
        </Loaded>
      )}
    </>
  );
}
