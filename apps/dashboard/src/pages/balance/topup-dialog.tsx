import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { TopupAmount } from './topup-amount.tsx';
import { TopupPayment } from './topup-payment.tsx';

type TopupDialogProps = {
  account: string;
  store: string;
  name: string;
  /** The top-up's code, or `new`. */
  code: string;
};

/** A top-up: amount, payment and outcome. The URL has its code. */
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
