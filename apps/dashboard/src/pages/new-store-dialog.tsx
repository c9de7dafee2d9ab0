import type { Role } from '@counterfoil/core/permission.ts';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { may } from '../api/permission.ts';
import { queryClient, storesQuery } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { formOf, storeNameField } from '../forms/schemas.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { useMembership } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { ApprovalNote } from './approval-note.tsx';

const schema = formOf({ name: storeNameField });

/** A new store. Test comes first: it costs nothing. */
export function NewStoreDialog({
  account,
  role,
  onClose,
}: {
  account: string;
  role: Role;
  onClose: () => void;
}): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const waits = useMembership()?.waiting === true;
  const [mode, setMode] = useState<'live' | 'test'>('test');
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { name: '' },
    send: async ({ name }) => {
      const made = await call('POST /accounts/{account}/stores', { path: { account }, body: { name, mode } });
      await queryClient.invalidateQueries(storesQuery(account));
      onClose();
      await navigate({ to: '/m/$account/stores/$store/start', params: { account, store: made.merchant_id } });
    },
  });
  const modes = [
    { value: 'test' as const, label: t('stores.testMode'), about: t('stores.testAbout') },
    ...(may(role, 'store.change', true) && !waits
      ? [{ value: 'live' as const, label: t('stores.liveMode'), about: t('stores.liveAbout') }]
      : []),
  ];
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button type="submit" look="main" busy={isSubmitting && t('action.saving')}>
        {t('stores.create')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('stores.new')} onClose={onClose} onSubmit={submit} foot={foot}>
      <Field label={t('stores.name')} hint={t('stores.nameHint')} autoComplete="off" {...field('name')} />
      <ApprovalNote />
      <Choice legend={t('stores.mode')} value={mode} options={modes} onChange={setMode} />
      <Failure cause={failure} />
    </Dialog>
  );
}
