import { toCents } from '@counterfoil/core/usd.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ShortBalance } from '../../api/balance-queries.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';

/** How long a balance lasts, with a warning when low. */
export function Lasts({ balance }: { balance: Pick<ShortBalance, 'days_left' | 'low'> }): ReactNode {
  const t = useWords();
  const { days_left: days, low } = balance;
  const text = days === null ? t('lasts.unused') : days === 0 ? t('lasts.over') : t('lasts.days', { days });
  return <span className={low ? 'warn' : undefined}>{low ? `${t('lasts.low')} · ${text}` : text}</span>;
}

type StoreMoneyProps = { account: string; store: string; isTest: boolean; balance: ShortBalance | undefined };

export function StoreMoney({ account, store, isTest, balance }: StoreMoneyProps): ReactNode {
  const t = useWords();
  const money = useMoney();
  if (isTest) {
    return (
      <span className="two money-cell">
        <span className="money">{t('lasts.noFees')}</span>
        <span className="t2 nowrap">{t('lasts.inTest')}</span>
      </span>
    );
  }
  if (!balance) return <span className="bone bone-end" aria-hidden="true" />;
  return (
    <span className="two money-cell">
      <Link className="money text-ink" to="/m/$account/balance/$store" params={{ account, store }}>
        <bdi dir="ltr">{money.usd(toCents(balance.available_usd))}</bdi>
      </Link>
      <span className="t2 nowrap">
        <Lasts balance={balance} />
      </span>
    </span>
  );
}
