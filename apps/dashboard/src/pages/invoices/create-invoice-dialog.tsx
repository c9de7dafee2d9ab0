import type { Currency } from '@counterfoil/core/currency.ts';
import { CURRENCIES, isCurrency } from '@counterfoil/core/currency.ts';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { isCode } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import type { Answer } from '../../api/call.ts';
import type { Store } from '../../api/queries.ts';
import { queryClient } from '../../api/queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { formOf } from '../../forms/schemas.ts';
import { useApiForm } from '../../forms/use-api-form.ts';
import { useAccount } from '../../frame/membership.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { SelectField } from '../../parts/choice.tsx';
import { CodeText } from '../../parts/code-text.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Note } from '../../parts/note.tsx';
import { EmptyBalanceNote } from '../empty-balance-note.tsx';
import { QrCode } from '../../parts/qr-code.tsx';
import { amountField, longTextField, optionalTextField, urlField } from './invoice-fields.ts';

type Made = Answer<'POST /accounts/{account}/stores/{store}/invoices'>;

const schema = formOf({
  amount: amountField,
  name: optionalTextField,
  description: longTextField,
  request_id: optionalTextField,
  callback_url: urlField,
});
const DEFAULTS = { amount: '', name: '', description: '', request_id: '', callback_url: '' };

type MadeProps = Pick<CreateProps, 'onClose' | 'returnTo'> & { made: Made };

function MadeDialog({ made, onClose, returnTo }: MadeProps): ReactNode {
  const t = useWords();
  const { price, usd } = useMoney();
  const { url_payment: link, trans_id: code, currency, currency_amount: priced } = made;
  const amount = currency === null || priced === null ? usd(made.amount) : price(priced, currency);
  const foot = (
    <>
      {link !== null && (
        <a className={buttonClass()} href={link} target="_blank" rel="noreferrer noopener">
          <Icon name="ext" />
          {t('create.openLink')}
        </a>
      )}
      <Button look="main" onClick={onClose}>
        {t('action.done')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('create.made', { amount })} onClose={onClose} foot={foot} returnTo={returnTo}>
      {!made.new && <Note tone="info" title={t('create.known')} />}
      <p>{t('create.hand', { minutes: made.expires_in_minutes })}</p>
      {link === null ? (
        <Note tone="warn" title={t('create.noLink')} />
      ) : (
        <>
          <QrCode text={link} label={t('create.qr')} />
          <p className="made-link">
            <bdi dir="ltr" className="mono anywhere">
              {link}
            </bdi>
          </p>
          <CopyButton text={link}>{t('invoices.copyLink')}</CopyButton>
        </>
      )}
      <p className="row between">
        <span className="quiet">{t('invoices.invoice')}</span>
        <CodeText code={code} label={t('invoices.copyCode')} />
      </p>
    </Dialog>
  );
}

const CURRENCY_OPTIONS = CURRENCIES.map((value) => ({ value, label: value }));

function bodyOf(values: typeof DEFAULTS, currency: Currency) {
  const filled = Object.fromEntries(Object.entries(values).filter(([, text]) => text !== '')) as typeof values;
  return currency === 'USD' ? filled : { ...filled, currency };
}

type CreateProps = { stores: readonly Store[]; onClose: () => void; returnTo: () => HTMLElement | null };

/** Creates an invoice manually, for merchants without a shop; its link is passed on. */
export function CreateInvoiceDialog({ stores, onClose, returnTo }: CreateProps): ReactNode {
  const t = useWords();
  const { account } = useAccount();
  const open = stores.filter(({ active }) => active);
  // Stores may still be loading when the dialog opens.
  const [chosen, setChosen] = useState<string>();
  const store = chosen ?? (open.find(({ mode }) => mode === 'live') ?? open[0])?.merchant_id ?? '';
  const [currency, setCurrency] = useState<Currency>('USD');
  const [made, setMade] = useState<Made>();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: DEFAULTS,
    send: async (values) => {
      const path = { account, store };
      const body = bodyOf(values, currency);
      setMade(await call('POST /accounts/{account}/stores/{store}/invoices', { path, body }));
      await queryClient.invalidateQueries({ queryKey: ['invoices', account] });
    },
  });
  if (made) return <MadeDialog made={made} onClose={onClose} returnTo={returnTo} />;
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button type="submit" look="main" busy={isSubmitting && t('action.saving')}>
        {t('invoices.create')}
      </Button>
    </>
  );
  const labelOf = ({ name, mode }: Store) => (mode === 'test' ? `${name} (${t('mode.test')})` : name);
  const options = open.map((one) => ({ value: one.merchant_id, label: labelOf(one) }));
  return (
    <Dialog title={t('invoices.create')} onClose={onClose} onSubmit={submit} foot={foot} returnTo={returnTo} sticky>
      <SelectField label={t('stores.name')} value={store} options={options} onChange={setChosen} />
      <EmptyBalanceNote account={account} store={store} isRefused={isCode(failure, 'INSUFFICIENT_BALANCE')} />
      <SelectField
        label={t('create.currency')}
        value={currency}
        options={CURRENCY_OPTIONS}
        onChange={(value) => isCurrency(value) && setCurrency(value)}
      />
      <Field
        label={t('create.amount', { currency })}
        hint={t('create.amountHint')}
        inputMode="decimal"
        autoComplete="off"
        {...field('amount')}
      />
      <Field label={t('create.name')} hint={t('create.nameHint')} autoComplete="off" dir="auto" {...field('name')} />
      <Field label={t('create.description')} autoComplete="off" dir="auto" {...field('description')} />
      <details className="more">
        <summary>
          <Icon name="chev" />
          {t('create.more')}
        </summary>
        <div className="stack pt-3">
          <Field label={t('fact.order')} hint={t('create.orderHint')} autoComplete="off" {...field('request_id')} />
          <Field
            label={t('create.callback')}
            hint={t('create.callbackHint')}
            code
            autoComplete="off"
            {...field('callback_url')}
          />
        </div>
      </details>
      <p className="small quiet">{t('create.lifetime')}</p>
      <Failure cause={isCode(failure, 'INSUFFICIENT_BALANCE') ? undefined : failure} />
    </Dialog>
  );
}
