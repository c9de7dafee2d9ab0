import type { ReactNode } from 'react';
import { useMoney } from '../language/money.ts';

/** Sums on a page: left to right in every language. */

export function Usd({ amount, signed = false }: { amount: string; signed?: boolean }): ReactNode {
  const { usd } = useMoney();
  return (
    <bdi dir="ltr" className="num">
      {usd(amount, { signed })}
    </bdi>
  );
}

type PricedProps = { of: { currency: string | null; currency_amount: string | null }; className?: string };

/** The price in another currency, beside its sum in USD; nothing for prices in USD. */
export function Priced({ of, className = 'small quiet' }: PricedProps): ReactNode {
  const { price } = useMoney();
  const { currency, currency_amount: amount } = of;
  if (currency === null || amount === null || currency === 'USD') return null;
  return (
    <span className={`${className} nowrap`}>
      <bdi className="num">{price(amount, currency)}</bdi>
    </span>
  );
}

const LONG_SUM = 12;

/** A page's main sum; long ones are smaller, so that they fit on one line. */
export function BigUsd({ amount, unit = false }: { amount: string; unit?: boolean }): ReactNode {
  const { usd } = useMoney();
  const text = usd(amount);
  return (
    <span className={`sum-money${text.length > LONG_SUM ? ' sum-long' : ''}`}>
      <bdi dir="ltr">{text}</bdi>
      {unit && <small> USD</small>}
    </span>
  );
}

export function TokenAmount({ amount, token }: { amount: string; token: string }): ReactNode {
  const money = useMoney();
  return (
    <bdi dir="ltr" className="num">
      {money.token(amount, token)}
    </bdi>
  );
}
