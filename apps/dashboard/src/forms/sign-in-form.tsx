import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { call } from '../api/call.ts';
import { signInByAutofill, signInByPasskey } from '../api/passkeys.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Failure } from './failure.tsx';
import { formOf, mailField, passwordField } from './schemas.ts';
import type { OwnMethods } from './second-factor-form.tsx';
import { SecondFactorForm } from './second-factor-form.tsx';
import { useAction } from './use-action.ts';
import { useApiForm } from './use-api-form.ts';

/** Sign-in by passkey, or by email address and password, then two-factor if set up. */

export type SignInStep = 'start' | 'factor';

type SignInFormProps = {
  onDone: () => void;
  /** Called at each step, for the page around the form. */
  onStep?: (step: SignInStep) => void;
  /** The known email address, for a new sign-in. */
  mail?: string | undefined;
  /** A link for forgotten passwords. */
  forgot?: ReactNode;
};

const passwordSchema = formOf({ mail: mailField, password: passwordField });

function PasswordForm({
  mail = '',
  forgot,
  onNext,
}: {
  mail?: string;
  forgot?: ReactNode;
  onNext: (methods: OwnMethods | undefined) => void;
}): ReactNode {
  const t = useWords();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema: passwordSchema,
    defaults: { mail, password: '' },
    send: async (body) => {
      const { next, methods } = await call('POST /session', { body }, { quiet: true });
      onNext(next === 'factor' ? methods : undefined);
    },
  });
  return (
    <form className="stack" noValidate onSubmit={submit}>
      <Field
        label={t('field.mail')}
        type="email"
        autoComplete="username webauthn"
        inputMode="email"
        {...field('mail')}
      />
      <Field
        label={t('field.password')}
        type="password"
        autoComplete="current-password"
        beside={forgot}
        {...field('password')}
      />
      <Failure cause={failure} />
      <Button type="submit" wide busy={isSubmitting && t('signIn.busy')}>
        {t('signIn.byPassword')}
      </Button>
    </form>
  );
}

export function SignInForm({ onDone, onStep, mail, forgot }: SignInFormProps): ReactNode {
  const t = useWords();
  const [methods, showMethods] = useState<OwnMethods>();
  const setMethods = (next: OwnMethods | undefined) => {
    showMethods(next);
    onStep?.(next ? 'factor' : 'start');
  };
  const passkey = useAction(async () => {
    await signInByPasskey();
    onDone();
  });
  useEffect(() => {
    let present = true;
    // Not requested by the user: failures are ignored, and the button remains.
    signInByAutofill().then(
      (signedIn) => present && signedIn && onDone(),
      () => undefined,
    );
    return () => {
      present = false;
    };
    // Once for each time the form is shown.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  if (methods) return <SecondFactorForm methods={methods} onDone={onDone} onBack={() => setMethods(undefined)} />;
  return (
    <div className="stack stack-l">
      <Button look="main" icon="passkey" wide busy={passkey.busy && t('passkey.waiting')} onClick={passkey.run}>
        {t('signIn.byPasskey')}
      </Button>
      <Failure cause={passkey.failure} />
      <p className="or">{t('signIn.or')}</p>
      <PasswordForm
        {...(mail !== undefined && { mail })}
        forgot={forgot}
        onNext={(next) => (next ? setMethods(next) : onDone())}
      />
    </div>
  );
}
