import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { Failure } from '../forms/failure.tsx';
import { NewPasswordField } from '../forms/new-password-field.tsx';
import { formOf, newPasswordField } from '../forms/schemas.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { useWords } from '../language/words.ts';
import { useLinkToken } from '../use-link-token.ts';
import { Button } from '../parts/button.tsx';
import { Note } from '../parts/note.tsx';
import { BarePage } from './bare-page.tsx';

const schema = formOf({ password: newPasswordField });

export function ResetPage(): ReactNode {
  const t = useWords();
  const token = useLinkToken();
  const [done, setDone] = useState(false);
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { password: '' },
    send: async ({ password }) => {
      await call('POST /reset', { body: { token, password } }, { quiet: true });
      setDone(true);
    },
  });
  const below = <Link to="/sign-in">{t('signIn.instead')}</Link>;
  if (done) {
    return (
      <BarePage title={t('reset.title')} below={below}>
        <Note tone="good" title={t('reset.done')} live>
          <p>{t('reset.doneAbout')}</p>
        </Note>
      </BarePage>
    );
  }
  return (
    <BarePage title={t('reset.title')} below={below}>
      <form className="stack" noValidate onSubmit={submit}>
        <NewPasswordField {...field('password')} />
        <Failure cause={failure} />
        <Button type="submit" look="main" wide busy={isSubmitting && t('action.saving')}>
          {t('reset.do')}
        </Button>
      </form>
    </BarePage>
  );
}
