import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { homeQuery } from '../api/home-queries.ts';
import { may } from '../api/permission.ts';
import { useAccount } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { Note } from '../parts/note.tsx';

type EmptyBalanceProps = {
  account: string;
  store: string;
  /** Whether an invoice was just rejected for lack of balance. */
  isRefused?: boolean;
};

/** Warns that a live store cannot create invoices, where it matters, and leads to the top-up. */
export function EmptyBalanceNote({ account, store, isRefused = false }: EmptyBalanceProps): ReactNode {
  const t = useWords();
  const { role } = useAccount();
  const { data } = useQuery({ ...homeQuery(account, 'live'), enabled: may(role, 'balance.see') });
  const isEmpty = data?.balances?.some((one) => one.merchant_id === store && one.empty) === true;
  if (!isEmpty && !isRefused) return null;
  const actions = may(role, 'balance.top_up') && (
    <Link className="b" to="/m/$account/balance/$store" params={{ account, store }} search={{ topup: 'new' }}>
      {t('empty.topUp')}
    </Link>
  );
  return (
    <Note tone="warn" icon="balance" title={t('empty.title')} actions={actions} live={isRefused}>
      <p>{t('empty.about')}</p>
    </Note>
  );
}
