import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { Failure } from '../forms/failure.tsx';
import { NewPasswordField } from '../forms/new-password-field.tsx';
import { formOf, mailField, newPasswordField } from '../forms/schemas.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { useMe } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Note } from '../parts/note.tsx';
import { Section } from '../parts/section.tsx';

const passwordSchema = formOf({ password: newPasswordField });

export function PasswordSection(): ReactNode {
  const t = useWords();
  const [done, setDone] = useState(false);
  const { field, submit, isSubmitting, failure, form } = useApiForm({
    schema: passwordSchema,
    defaults: { password: '' },
    send: async (body) => {
      await call('POST /me/password', { body });
      form.reset();
      setDone(true);
    },
  });
  return (
    <Section title={t('password.title')} about={t('password.about')}>
      <form className="card-pad stack pt-0" noValidate onSubmit={submit}>
        <NewPasswordField {...field('password')} />
        <Failure cause={failure} />
        {done && <Note tone="good" title={t('password.done')} live />}
        <div>
          <Button type="submit" busy={isSubmitting && t('action.saving')}>
            {t('password.change')}
          </Button>
        </div>
      </form>
    </Section>
  );
}

const mailSchema = formOf({ mail: mailField });

export function MailSection(): ReactNode {
  const t = useWords();
  const me = useMe();
  const [sentTo, setSentTo] = useState<string>();
  const { field, submit, isSubmitting, failure, form } = useApiForm({
    schema: mailSchema,
    defaults: { mail: '' },
    send: async (body) => {
      await call('POST /me/email', { body });
      form.reset();
      setSentTo(body.mail);
    },
  });
  return (
    <Section title={t('mail.title')} about={me.mail}>
      <form className="card-pad stack pt-0" noValidate onSubmit={submit}>
        <Field label={t('mail.new')} hint={t('mail.hint')} type="email" autoComplete="off" {...field('mail')} />
        <Failure cause={failure} />
        {sentTo !== undefined && <Note tone="good" icon="send" title={t('mail.sent', { mail: sentTo })} live />}
        <div>
          <Button type="submit" busy={isSubmitting && t('action.sending')}>
            {t('mail.change')}
          </Button>
        </div>
      </form>
    </Section>
  );
}
