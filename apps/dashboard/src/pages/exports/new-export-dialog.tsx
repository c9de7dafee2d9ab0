import { useQuery } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { Export } from '../../api/export-queries.ts';
import { may } from '../../api/permission.ts';
import { queryClient, storesQuery } from '../../api/queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { useAccount } from '../../frame/membership.ts';
import type { Operations } from '../../generated/operations.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Choice, SelectField } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import type { Period } from './period.ts';
import { momentOf, PERIODS, spanOf } from './period.ts';

type Body = Operations['POST /accounts/{account}/exports']['body'];
type Status = NonNullable<Body['status']>;

const KINDS = ['invoices', 'transfers', 'statement', 'audit'] as const;
const STATUSES: readonly Status[] = ['completed', 'expired', 'waiting', 'processing'];
const ANY = '';

type OwnPeriod = { from: string; to: string };

function OwnFields({
  own,
  fault,
  onChange,
}: {
  own: OwnPeriod;
  fault: string | undefined;
  onChange: (own: OwnPeriod) => void;
}): ReactNode {
  const t = useWords();
  return (
    <div className="grid g-2">
      <Field
        label={t('exports.from')}
        type="datetime-local"
        value={own.from}
        onChange={(event) => onChange({ ...own, from: event.target.value })}
      />
      <Field
        label={t('exports.to')}
        type="datetime-local"
        value={own.to}
        fault={fault}
        onChange={(event) => onChange({ ...own, to: event.target.value })}
      />
    </div>
  );
}

function StatusField({
  status,
  onChange,
}: {
  status: Status | undefined;
  onChange: (status: Status | undefined) => void;
}): ReactNode {
  const t = useWords();
  return (
    <SelectField
      label={t('stores.status')}
      value={status ?? ANY}
      options={[
        { value: ANY, label: t('exports.anyStatus') },
        ...STATUSES.map((value) => ({ value, label: t(`status.${value}`) })),
      ]}
      onChange={(value) => onChange(STATUSES.find((one) => one === value))}
    />
  );
}

function StoreField({
  account,
  store,
  onChange,
}: {
  account: string;
  store: string;
  onChange: (store: string) => void;
}): ReactNode {
  const t = useWords();
  const stores = useQuery(storesQuery(account)).data?.stores ?? [];
  return (
    <SelectField
      label={t('exports.store')}
      value={store}
      options={[
        { value: ANY, label: t('exports.allStores') },
        ...stores.map((one) => ({ value: one.merchant_id, label: one.name })),
      ]}
      onChange={onChange}
    />
  );
}

type NewExportProps = { account: string; kind: Export['kind']; store: string | undefined; onClose: () => void };

/** Requests an export: kind, store and period. */
export function NewExportDialog({ account, onClose, ...asked }: NewExportProps): ReactNode {
  const t = useWords();
  const { role } = useAccount();
  const [kind, setKind] = useState<Export['kind']>(asked.kind);
  const [store, setStore] = useState(asked.store ?? ANY);
  const [period, setPeriod] = useState<Period>('month');
  const [own, setOwn] = useState<OwnPeriod>({ from: '', to: '' });
  const [status, setStatus] = useState<Status>();
  const [fault, setFault] = useState<string>();
  const { run, busy, failure } = useAction(async () => {
    const span = period === 'own' ? { from: momentOf(own.from), to: momentOf(own.to) } : spanOf(period, new Date());
    const body: Body = {
      kind,
      ...(store !== ANY && { store }),
      ...(span.from !== undefined && { from: span.from }),
      ...(span.to !== undefined && { to: span.to }),
      ...(kind === 'invoices' && status !== undefined && { status }),
    };
    await call('POST /accounts/{account}/exports', { path: { account }, body });
    await queryClient.invalidateQueries({ queryKey: ['exports', account] });
    onClose();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const from = momentOf(own.from);
    const to = momentOf(own.to);
    const isTurned = period === 'own' && from !== undefined && to !== undefined && from >= to;
    setFault(isTurned ? t('exports.turned') : undefined);
    if (!isTurned) run();
  };
  const kinds = KINDS.filter((one) => one !== 'audit' || may(role, 'audit.see')).map((value) => ({
    value,
    label: t(`exports.kind.${value}`),
    about: t(`exports.about.${value}`),
  }));
  return (
    <Dialog
      title={t('exports.new')}
      onClose={onClose}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" look="main" icon="export" busy={busy && t('action.sending')}>
            {t('exports.make')}
          </Button>
        </>
      }
    >
      <Choice legend={t('exports.what')} value={kind} options={kinds} onChange={setKind} />
      <StoreField account={account} store={store} onChange={setStore} />
      <SelectField
        label={t('exports.period')}
        value={period}
        options={PERIODS.map((value) => ({ value, label: t(`exports.period.${value}`) }))}
        onChange={(value) => setPeriod(PERIODS.find((one) => one === value) ?? 'month')}
        hint={t('exports.periodHint')}
      />
      {period === 'own' && <OwnFields own={own} fault={fault} onChange={setOwn} />}
      {kind === 'invoices' && <StatusField status={status} onChange={setStatus} />}
      <Failure cause={failure} />
    </Dialog>
  );
}
