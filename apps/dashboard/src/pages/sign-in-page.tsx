import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { registrationQuery } from '../api/queries.ts';
import type { SignInStep } from '../forms/sign-in-form.tsx';
import { SignInForm } from '../forms/sign-in-form.tsx';
import { useWords } from '../language/words.ts';
import { ownPath } from '../own-address.ts';
import { BarePage } from './bare-page.tsx';

export function SignInPage(): ReactNode {
  const t = useWords();
  const { next } = useSearch({ from: '/sign-in' });
  const [step, setStep] = useState<SignInStep>('start');
  const isStart = step === 'start';
  const { data: registration } = useQuery(registrationQuery);
  const below = (
    <>
      {isStart && registration && (
        <p className="quiet">
          {registration?.sign_up ? (
            <>
              {t('signIn.new')} <Link to="/sign-up">{t('signUp.link')}</Link>
            </>
          ) : (
            t('signIn.invited')
          )}
        </p>
      )}
      <p className="quiet">{t('signIn.lost')}</p>
    </>
  );
  return (
    <BarePage title={t('signIn.title')} about={isStart ? t('signIn.about') : t('signIn.factorAbout')} below={below}>
      <SignInForm
        onStep={setStep}
        // A full page load: nothing of a previous user stays in memory. The fragment is an invitation's token.
        onDone={() => location.assign(`${ownPath(next, location.origin) ?? '/'}${location.hash}`)}
        forgot={
          <Link className="small pb-1.5" to="/forgot">
            {t('signIn.forgot')}
          </Link>
        }
      />
    </BarePage>
  );
}
