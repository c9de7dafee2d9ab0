import { parseLowBalance } from '@counterfoil/core/balance-amount.ts';
import { parseMicroUsd } from '@counterfoil/core/usd.ts';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { balanceQuery } from '../../api/balance-queries.ts';
import type { Balance } from '../../api/balance-queries.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { Choice } from '../../parts/choice.tsx';
import { Field } from '../../parts/field.tsx';
import { SaveBar } from '../../parts/save-bar.tsx';
import { Section } from '../../parts/section.tsx';

type Way = 'days' | 'amount' | 'never';

/** A threshold of zero disables the email; without one the server decides. */
const wayOf = (threshold: string | null): Way => {
  if (threshold === null) return 'days';
  return parseMicroUsd(threshold) === 0n ? 'never' : 'amount';
};

const fits = (text: string) => (parseLowBalance(text) ?? 0n) > 0n;

const USUAL = '25.00';

type LowBalanceProps = { account: string; store: string; balance: Balance };

/** The threshold of the low-balance email; one sentence for readers who may not change it. */
export function LowBalanceCard({ mayChange, ...props }: LowBalanceProps & { mayChange: boolean }): ReactNode {
  const t = useWords();
  const money = useMoney();
  const present = props.balance.low_balance;
  const words = {
    days: t('low.days'),
    amount: t('low.below', { sum: money.usd(present ?? '0') }),
    never: t('low.never'),
  };
  if (!mayChange) return <Section title={t('low.title')} about={words[wayOf(present)]} />;
  return (
    <Section title={t('low.title')} about={t('low.about')}>
      <LowBalanceForm {...props} />
    </Section>
  );
}

const amountOf = (threshold: string | null) => (wayOf(threshold) === 'amount' ? (threshold ?? USUAL) : USUAL);

function LowBalanceForm({ account, store, balance }: LowBalanceProps): ReactNode {
  const t = useWords();
  const present = balance.low_balance;
  const [way, setWay] = useState<Way>(wayOf(present));
  const [amount, setAmount] = useState(amountOf(present));
  const [fault, setFault] = useState<string>();
  const [isSaved, setSaved] = useState(false);
  const next = way === 'days' ? null : way === 'never' ? '0.00' : amount.trim();
  const { run, busy, failure } = useAction(async () => {
    const asked = { path: { account, store }, body: { low_balance: next } };
    const { low_balance: after } = await call('PATCH /accounts/{account}/stores/{store}/balance', asked);
    queryClient.setQueryData(
      balanceQuery(account, store).queryKey,
      (before) => before && { ...before, low_balance: after },
    );
    await queryClient.invalidateQueries({ queryKey: ['balances', account] });
    if (after !== null && way === 'amount') setAmount(after);
    setSaved(true);
  });
  const submit = () => {
    if (way === 'amount' && !fits(amount.trim())) setFault(t('low.fault'));
    else run();
  };
  const options = [
    { value: 'days' as const, label: t('low.days') },
    { value: 'amount' as const, label: t('low.amount') },
    { value: 'never' as const, label: t('low.never') },
  ];
  return (
    <form
      className="card-body stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Choice legend={t('low.when')} value={way} options={options} onChange={setWay} />
      {way === 'amount' && (
        <Field
          label={t('low.sum')}
          fault={fault}
          inputMode="decimal"
          autoComplete="off"
          code
          value={amount}
          onChange={(event) => {
            setAmount(event.target.value);
            setFault(undefined);
          }}
        />
      )}
      <Failure cause={failure} />
      <SaveBar
        isDirty={way !== wayOf(present) || (way === 'amount' && amount.trim() !== present)}
        isSaving={busy}
        isSaved={isSaved}
        onUndo={() => {
          setWay(wayOf(present));
          setAmount(amountOf(present));
          setFault(undefined);
          setSaved(false);
        }}
      />
    </form>
  );
}
