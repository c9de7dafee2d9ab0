import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { Failure } from '../forms/failure.tsx';
import { formOf, mailField } from '../forms/schemas.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Note } from '../parts/note.tsx';
import { BarePage } from './bare-page.tsx';

const schema = formOf({ mail: mailField });

export function ForgotPage(): ReactNode {
  const t = useWords();
  const [sentTo, setSentTo] = useState<string>();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { mail: '' },
    send: async (body) => {
      await call('POST /forgot', { body }, { quiet: true });
      setSentTo(body.mail);
    },
  });
  const below = <Link to="/sign-in">{t('signIn.instead')}</Link>;
  if (sentTo !== undefined) {
    return (
      <BarePage title={t('forgot.title')} below={below}>
        <Note tone="good" icon="send" title={t('forgot.sent')} live>
          <p>{t('forgot.sentAbout', { mail: sentTo })}</p>
        </Note>
      </BarePage>
    );
  }
  return (
    <BarePage title={t('forgot.title')} about={t('forgot.about')} below={below}>
      <form className="stack" noValidate onSubmit={submit}>
        <Field label={t('field.mail')} type="email" autoComplete="username" {...field('mail')} />
        <Failure cause={failure} />
        <Button type="submit" look="main" wide busy={isSubmitting && t('action.sending')}>
          {t('forgot.do')}
        </Button>
      </form>
    </BarePage>
  );
}
