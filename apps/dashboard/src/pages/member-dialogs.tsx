import type { Role } from '@counterfoil/core/permission.ts';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { grantableRoles } from '../api/permission.ts';
import type { Member } from '../api/queries.ts';
import { queryClient, teamQuery } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { formOf, textField } from '../forms/schemas.ts';
import { useAction } from '../forms/use-action.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { useMe } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Choice } from '../parts/choice.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';

/** Dialogs about a member: role, removal, two-factor reset. */

type MemberDialogProps = { account: string; role: Role; member: Member; onClose: () => void };

export function ChangeRoleDialog({ account, role, member, onClose }: MemberDialogProps): ReactNode {
  const t = useWords();
  const [given, setGiven] = useState<Role>(member.role);
  const { run, busy, failure } = useAction(async () => {
    const asked = { path: { account, person: member.person }, body: { role: given } };
    await call('PATCH /accounts/{account}/team/{person}', asked);
    await queryClient.invalidateQueries(teamQuery(account));
    onClose();
  });
  const roles = grantableRoles(role).map((value) => ({
    value,
    label: t(`role.${value}`),
    about: t(`roleAbout.${value}`),
  }));
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button look="main" busy={busy && t('action.saving')} onClick={run}>
        {t('member.saveRole')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('member.roleOf', { name: member.name })} onClose={onClose} foot={foot}>
      <Choice legend={t('member.roleColumn')} value={given} options={roles} onChange={setGiven} />
      <Failure cause={failure} />
    </Dialog>
  );
}

export function RemoveMemberDialog({ account, member, onClose }: MemberDialogProps): ReactNode {
  const t = useWords();
  const isMe = useMe().person === member.person;
  const { run, busy, failure } = useAction(async () => {
    await call('DELETE /accounts/{account}/team/{person}', { path: { account, person: member.person } });
    if (isMe) location.assign('/');
    await queryClient.invalidateQueries(teamQuery(account));
    onClose();
  });
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button look="danger-main" busy={busy && t('action.saving')} onClick={run}>
        {isMe ? t('member.leave') : t('member.remove')}
      </Button>
    </>
  );
  return (
    <Dialog
      title={isMe ? t('member.leave') : t('member.removeOf', { name: member.name })}
      onClose={onClose}
      foot={foot}
    >
      <p>{isMe ? t('member.leaveAbout') : t('member.removeAbout', { name: member.name })}</p>
      <Failure cause={failure} />
    </Dialog>
  );
}

const reasonSchema = formOf({ reason: textField });

export function ResetFactorsDialog({ account, member, onClose }: MemberDialogProps): ReactNode {
  const t = useWords();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema: reasonSchema,
    defaults: { reason: '' },
    send: async (body) => {
      const path = { account, person: member.person };
      await call('POST /accounts/{account}/team/{person}/reset-factors', { path, body });
      onClose();
    },
  });
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button type="submit" look="danger-main" busy={isSubmitting && t('action.saving')}>
        {t('member.reset')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('member.resetOf', { name: member.name })} onClose={onClose} onSubmit={submit} foot={foot}>
      <p>{t('member.resetAbout', { name: member.name })}</p>
      <Field label={t('member.reason')} hint={t('member.reasonHint')} {...field('reason')} />
      <Failure cause={failure} />
    </Dialog>
  );
}
