import type { ReactNode } from 'react';
import { useMoney } from '../language/money.ts';

/** Sums of money on a page: left to right in every language. */

export function Usd({ amount, signed = false }: { amount: string; signed?: boolean }): ReactNode {
  const { usd } = useMoney();
  return (
    <bdi dir="ltr" className="num">
      {usd(amount, { signed })}
    </bdi>
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
