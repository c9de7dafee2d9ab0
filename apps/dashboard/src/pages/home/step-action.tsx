import type { Role } from '@counterfoil/core/permission.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { may } from '../../api/permission.ts';
import type { Store } from '../../api/queries.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { PayTestInvoice } from '../start/pay-test-invoice.tsx';
import type { StepName } from './step-states.ts';

type StepActionProps = {
  name: StepName;
  account: string;
  role: Role;
  stores: readonly Store[];
  onCreate: () => void;
};

/** For steps without permission: ask a member who has it. */
function Ask(): ReactNode {
  const t = useWords();
  return <p className="small">{t('steps.ask')}</p>;
}

function Create({ role, live, onCreate }: { role: Role; live: boolean; onCreate: () => void }): ReactNode {
  const t = useWords();
  if (!may(role, 'store.change', live)) return <Ask />;
  return (
    <Button look="main" icon="plus" onClick={onCreate}>
      {t('stores.new')}
    </Button>
  );
}

type ToStoreProps = { account: string; store: string; text: string; to: 'methods' | 'start'; main?: boolean };

function ToStore({ account, store, text, to, main = true }: ToStoreProps): ReactNode {
  return (
    <Link className={main ? 'b b-main' : 'b'} to={`/m/$account/stores/$store/${to}`} params={{ account, store }}>
      {text}
    </Link>
  );
}

/** A step's one action, linked to its page. */
export function StepAction(props: StepActionProps): ReactNode {
  const t = useWords();
  const { name, account, role, stores, onCreate } = props;
  const live = stores.find(({ mode }) => mode === 'live');
  const test = stores.find(({ mode }) => mode === 'test');
  const [any] = test ? [test] : stores;
  if (name === 'store' || !any) return <Create role={role} live={false} onCreate={onCreate} />;
  if (name === 'test') {
    if (!test) return <Create role={role} live={false} onCreate={onCreate} />;
    return (
      <>
        <PayTestInvoice account={account} store={test.merchant_id} role={role} />
        <ToStore account={account} store={test.merchant_id} text={t('steps.code')} to="start" main={false} />
      </>
    );
  }
  if (name === 'webhook')
    return <ToStore account={account} store={any.merchant_id} text={t('steps.setUp')} to="start" />;
  if (name === 'factor') {
    return (
      <Link className="b b-main" to="/me/security">
        {t('factor.add')}
      </Link>
    );
  }
  if (!live) return <Create role={role} live onCreate={onCreate} />;
  const store = live.merchant_id;
  if (name === 'method') return <ToStore account={account} store={store} text={t('steps.addWallet')} to="methods" />;
  if (name === 'live') return <ToStore account={account} store={store} text={t('steps.connect')} to="start" />;
  if (!may(role, 'balance.top_up')) return <Ask />;
  return (
    <Link className="b b-main" to="/m/$account/balance/$store" params={{ account, store }} search={{ topup: 'new' }}>
      {t('empty.topUp')}
    </Link>
  );
}
