import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SignInForm } from '../forms/sign-in-form.tsx';
import { useWords } from '../language/words.ts';
import { BarePage } from './bare-page.tsx';

export function SignInPage(): ReactNode {
  const t = useWords();
  const { next } = useSearch({ from: '/sign-in' });
  const below = (
    <>
      <p className="quiet">
        {t('signIn.new')} <Link to="/sign-up">{t('signUp.link')}</Link>
      </p>
      <p className="quiet">{t('signIn.lost')}</p>
    </>
  );
  return (
    <BarePage title={t('signIn.title')} about={t('signIn.about')} below={below}>
      <SignInForm
        // A whole load: nothing of whoever was here before is left in memory.
        onDone={() => location.assign(next ?? '/')}
        forgot={
          <Link className="small pb-1.5" to="/forgot">
            {t('signIn.forgot')}
          </Link>
        }
      />
    </BarePage>
  );
}
