import { DAY_MS } from '@counterfoil/core/duration.ts';
import { parseTopupAmount } from '@counterfoil/core/balance-amount.ts';
import { formatMicroUsd, parseMicroUsd } from '@counterfoil/core/usd.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import * as z from 'zod/mini';
import { balanceQuery, daysQuery, topupQuery } from '../../api/balance-queries.ts';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { formOf } from '../../forms/schemas.ts';
import { useApiForm } from '../../forms/use-api-form.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { Usd } from '../../parts/amount.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { dayOf } from './month.ts';

const OFFERED = ['50', '100', '200', '500'];
const USUAL = '200.00';
/** Days over which the server averages fees. */
const PACE_DAYS = 7;

const fits = (text: string) => parseTopupAmount(text) !== undefined;

const schema = formOf({ amount: z.string().check(z.trim(), z.refine(fits, 'topup.fault')) });

/** The balance after the top-up, and how long it lasts. */
function Outcome({ account, store, amount }: { account: string; store: string; amount: string }): ReactNode {
  const t = useWords();
  const nowMs = Date.now();
  const balance = useQuery(balanceQuery(account, store)).data;
  const span = { from: dayOf(nowMs - (PACE_DAYS - 1) * DAY_MS), to: dayOf(nowMs) };
  const fees = parseMicroUsd(useQuery(daysQuery(account, store, span)).data?.totals.fee_usd ?? '') ?? 0n;
  if (!balance) return null;
  const added = parseTopupAmount(amount.trim());
  const after = added === undefined ? undefined : (parseMicroUsd(balance.available) ?? 0n) + added;
  const days = after === undefined || fees <= 0n || after <= 0n ? undefined : (after * BigInt(PACE_DAYS)) / fees;
  return (
    <dl className="dl">
      <div>
        <dt>{t('topup.now')}</dt>
        <dd>
          <Usd amount={balance.available} />
        </dd>
      </div>
      <div>
        <dt>{t('topup.after')}</dt>
        <dd className="strong">{after === undefined ? '–' : <Usd amount={formatMicroUsd(after)} />}</dd>
      </div>
      <div>
        <dt>{t('balance.lasts')}</dt>
        <dd>{days === undefined ? t('lasts.unknown') : t('lasts.pace', { days: Number(days) })}</dd>
      </div>
    </dl>
  );
}

type AmountProps = {
  account: string;
  store: string;
  name: string;
  onClose: () => void;
  onMade: (code: string) => void;
};

export function TopupAmount({ account, store, name, onClose, onMade }: AmountProps): ReactNode {
  const t = useWords();
  const money = useMoney();
  const { field, submit, isSubmitting, failure, form } = useApiForm({
    schema,
    defaults: { amount: USUAL },
    send: async ({ amount }) => {
      const asked = { path: { account, store }, body: { amount } };
      const made = await call('POST /accounts/{account}/stores/{store}/topups', asked);
      queryClient.setQueryData(topupQuery(account, store, made.topup).queryKey, made);
      onMade(made.topup);
    },
  });
  const amount = form.watch('amount');
  const choose = (offered: string) =>
    form.setValue('amount', `${offered}.00`, { shouldDirty: true, shouldValidate: form.formState.isSubmitted });
  return (
    <Dialog
      title={t('topup.title', { name })}
      onClose={onClose}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" look="main" icon="arrow" busy={isSubmitting && t('topup.opening')}>
            {t('topup.go')}
          </Button>
        </>
      }
    >
      <div className="topup-sum">
        <Field
          label={t('topup.amount')}
          hint={t('topup.limits', { least: money.usd('5'), most: money.usd('10000') })}
          inputMode="decimal"
          autoComplete="off"
          code
          {...field('amount')}
        />
      </div>
      <div className="row topup-offers" role="group" aria-label={t('topup.offers')}>
        {OFFERED.map((offered) => (
          <Button key={offered} small aria-pressed={amount === `${offered}.00`} onClick={() => choose(offered)}>
            <bdi dir="ltr">${offered}</bdi>
          </Button>
        ))}
      </div>
      <Outcome account={account} store={store} amount={amount} />
      <p className="small quiet">{t('topup.about')}</p>
      <Failure cause={failure} />
    </Dialog>
  );
}
