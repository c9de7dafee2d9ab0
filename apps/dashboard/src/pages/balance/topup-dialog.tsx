import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { TopupAmount } from './topup-amount.tsx';
import { TopupPayment } from './topup-payment.tsx';

type TopupDialogProps = {
  account: string;
  store: string;
  name: string;
  /** The code of a top-up that was asked for, or `new`. */
  code: string;
};

/** A top-up: how much, then where to pay it and what has become of it. The address of the page holds which one. */
export function TopupDialog({ account, store, name, code }: TopupDialogProps): ReactNode {
  const navigate = useNavigate();
  const go = (topup: string | undefined) =>
    void navigate({
      to: '/m/$account/balance/$store',
      params: { account, store },
      search: ({ month }) => ({ ...(month !== undefined && { month }), ...(topup !== undefined && { topup }) }),
      replace: true,
    });
  const props = { account, store, name, onClose: () => go(undefined) };
  return code === 'new' ? (
    <TopupAmount {...props} onMade={go} />
  ) : (
    <TopupPayment {...props} code={code} onNew={() => go('new')} />
  );
}
