import type { Role } from '@counterfoil/core/permission.ts';
import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Answer } from '../api/call.ts';
import { call } from '../api/call.ts';
import { grantableRoles } from '../api/permission.ts';
import { queryClient, teamQuery } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { formOf, mailField } from '../forms/schemas.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Choice } from '../parts/choice.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Note } from '../parts/note.tsx';

type Made = Answer<'POST /accounts/{account}/team/invitations'> & { mail: string };

const schema = formOf({ mail: mailField });

/** The invitation's link, shown only once, and whether an email is sent. */
function MadeDialog({ made, onClose }: { made: Made; onClose: () => void }): ReactNode {
  const t = useWords();
  const isMailed = made.mail_state === 'queued' || made.mail_state === 'sent';
  return (
    <Dialog
      title={t('invite.made', { mail: made.mail })}
      onClose={onClose}
      foot={
        <Button look="main" onClick={onClose}>
          {t('action.done')}
        </Button>
      }
    >
      <Note tone={isMailed ? 'good' : 'warn'} icon="send" title={isMailed ? t('invite.mailed') : t('invite.notMailed')}>
        <p>{isMailed ? t('invite.mailedAbout') : t('invite.notMailedAbout')}</p>
      </Note>
      <Field label={t('invite.link')} value={made.link} readOnly code />
      <div>
        <CopyButton text={made.link}>{t('invite.copy')}</CopyButton>
      </div>
    </Dialog>
  );
}

export function InviteDialog({
  account,
  role,
  onClose,
}: {
  account: string;
  role: Role;
  onClose: () => void;
}): ReactNode {
  const t = useWords();
  const [given, setGiven] = useState<Role>('viewer');
  const [made, setMade] = useState<Made>();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { mail: '' },
    send: async ({ mail }) => {
      const asked = { path: { account }, body: { mail, role: given } };
      const answer = await call('POST /accounts/{account}/team/invitations', asked);
      setMade({ ...answer, mail });
      await queryClient.invalidateQueries(teamQuery(account));
    },
  });
  if (made) return <MadeDialog made={made} onClose={onClose} />;
  const roles = grantableRoles(role)
    .toReversed()
    .map((value) => ({ value, label: t(`role.${value}`), about: t(`roleAbout.${value}`) }));
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button type="submit" look="main" busy={isSubmitting && t('action.sending')}>
        {t('invite.do')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('invite.title')} onClose={onClose} onSubmit={submit} foot={foot} sticky>
      <Field label={t('field.mail')} type="email" autoComplete="off" {...field('mail')} />
      <Choice legend={t('member.roleColumn')} value={given} options={roles} onChange={setGiven} />
      <Failure cause={failure} />
    </Dialog>
  );
}
