import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { invitationQuery, meQuery } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { NewPasswordField } from '../forms/new-password-field.tsx';
import { formOf, nameField, newPasswordField } from '../forms/schemas.ts';
import { useAction } from '../forms/use-action.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { presentLanguage } from '../language/language.ts';
import { useWords } from '../language/words.ts';
import { useLinkToken } from '../use-link-token.ts';
import { Button, buttonClass } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Note } from '../parts/note.tsx';
import { BarePage } from './bare-page.tsx';

const schema = formOf({ name: nameField, password: newPasswordField });

function NewPersonForm({ token, mail }: { token: string; mail: string }): ReactNode {
  const t = useWords();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { name: '', password: '' },
    send: async (values) => {
      const body = { ...values, token, language: presentLanguage() };
      await call('POST /invitations/accept-new', { body }, { quiet: true });
      location.assign('/me/security');
    },
  });
  return (
    <form className="stack" noValidate onSubmit={submit}>
      <Field label={t('field.mail')} type="email" value={mail} readOnly autoComplete="username" />
      <Field label={t('field.name')} autoComplete="name" {...field('name')} />
      <NewPasswordField {...field('password')} />
      <Failure cause={failure} />
      <Button type="submit" look="main" wide busy={isSubmitting && t('action.sending')}>
        {t('invitation.join')}
      </Button>
    </form>
  );
}

function JoinButton({ token, name }: { token: string; name: string }): ReactNode {
  const t = useWords();
  const { run, busy, failure } = useAction(async () => {
    await call('POST /invitations/accept', { body: { token } });
    location.assign('/');
  });
  return (
    <div className="stack">
      <Failure cause={failure} />
      <Button look="main" wide busy={busy && t('action.sending')} onClick={run}>
        {t('invitation.joinAs', { name })}
      </Button>
    </div>
  );
}

function SignInFirst({ token, known }: { token: string; known: boolean | null }): ReactNode {
  const t = useWords();
  return (
    <div className="stack">
      <Note tone="info" title={known === null ? t('invitation.mail') : t('invitation.known')}>
        <p>{known === null ? t('invitation.mailAbout') : t('invitation.knownAbout')}</p>
      </Note>
      <Link className={buttonClass('main', { wide: true })} to="/sign-in" search={{ next: '/invitation' }} hash={token}>
        {t('signIn.title')}
      </Link>
    </div>
  );
}

export function InvitationPage(): ReactNode {
  const t = useWords();
  const token = useLinkToken();
  const { data, error } = useQuery(invitationQuery(token));
  const me = useQuery({ ...meQuery, retry: false });
  if (error) {
    return (
      <BarePage title={t('invitation.gone')} below={<Link to="/sign-in">{t('signIn.instead')}</Link>}>
        <p className="quiet">{t('invitation.goneAbout')}</p>
      </BarePage>
    );
  }
  if (!data || me.isPending) return <BarePage title={t('state.loading')}>{null}</BarePage>;
  const about = t('invitation.about', { role: t(`role.${data.role}`), mail: data.mail });
  const newcomer =
    data.known === false ? (
      <NewPersonForm token={token} mail={data.mail} />
    ) : (
      <SignInFirst token={token} known={data.known} />
    );
  return (
    <BarePage title={t('invitation.title', { account: data.account })} about={about}>
      {me.data ? <JoinButton token={token} name={me.data.name} /> : newcomer}
    </BarePage>
  );
}
