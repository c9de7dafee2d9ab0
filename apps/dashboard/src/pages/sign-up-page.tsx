import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { registrationQuery } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { NewPasswordField } from '../forms/new-password-field.tsx';
import { formOf, mailField, nameField, newPasswordField } from '../forms/schemas.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { presentLanguage } from '../language/language.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Note } from '../parts/note.tsx';
import { BarePage } from './bare-page.tsx';

const schema = formOf({ name: nameField, mail: mailField, password: newPasswordField });

function SignUpForm({ onDone }: { onDone: (mail: string) => void }): ReactNode {
  const t = useWords();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { name: '', mail: '', password: '' },
    send: async (values) => {
      await call('POST /sign-up', { body: { ...values, language: presentLanguage() } }, { quiet: true });
      onDone(values.mail);
    },
  });
  return (
    <form className="stack" noValidate onSubmit={submit}>
      <Field label={t('field.name')} autoComplete="name" {...field('name')} />
      <Field label={t('field.mail')} type="email" autoComplete="username" {...field('mail')} />
      <NewPasswordField {...field('password')} />
      <Failure cause={failure} />
      <Button type="submit" look="main" wide busy={isSubmitting && t('action.sending')}>
        {t('signUp.title')}
      </Button>
    </form>
  );
}

export function SignUpPage(): ReactNode {
  const t = useWords();
  const { data: registration } = useQuery(registrationQuery);
  const [sentTo, setSentTo] = useState<string>();
  const below = <Link to="/sign-in">{t('signIn.instead')}</Link>;
  return (
    <BarePage title={t('signUp.title')} below={below}>
      {registration?.sign_up === false ? (
        <Note tone="info" title={t('signUp.closed')}>
          <p>{t('signIn.invited')}</p>
        </Note>
      ) : sentTo === undefined ? (
        <SignUpForm onDone={setSentTo} />
      ) : (
        <Note tone="good" icon="send" title={t('signUp.sent')} live>
          <p>{t('signUp.sentAbout', { mail: sentTo })}</p>
        </Note>
      )}
    </BarePage>
  );
}
