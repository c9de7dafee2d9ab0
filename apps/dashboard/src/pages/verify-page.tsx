import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { Failure } from '../forms/failure.tsx';
import { formOf, passwordField } from '../forms/schemas.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { useWords } from '../language/words.ts';
import { useLinkToken } from '../use-link-token.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { BarePage } from './bare-page.tsx';

const schema = formOf({ password: passwordField });

/** The page of a sign-up link: the link proves the address, and the chosen password the user. */
export function VerifyPage(): ReactNode {
  const t = useWords();
  const token = useLinkToken();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { password: '' },
    send: async ({ password }) => {
      await call('POST /verify', { body: { token, password } }, { quiet: true });
      // A full page load: nothing of a previous user stays in memory.
      location.assign('/');
    },
  });
  return (
    <BarePage
      title={t('verify.title')}
      about={t('verify.about')}
      below={<Link to="/sign-in">{t('signIn.instead')}</Link>}
    >
      <form className="stack" noValidate onSubmit={submit}>
        <Field label={t('field.password')} type="password" autoComplete="current-password" {...field('password')} />
        <Failure cause={failure} />
        <Button type="submit" look="main" wide busy={isSubmitting && t('action.sending')}>
          {t('verify.do')}
        </Button>
      </form>
    </BarePage>
  );
}
