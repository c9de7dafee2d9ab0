import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { giveFactorByPasskey } from '../api/passkeys.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Failure } from './failure.tsx';
import { formOf, textField, totpField } from './schemas.ts';
import { useAction } from './use-action.ts';
import { useApiForm } from './use-api-form.ts';

type Done = { onDone: () => void };

const totpSchema = formOf({ code: totpField });
const recoverySchema = formOf({ code: textField });

function TotpForm({ onDone }: Done): ReactNode {
  const t = useWords();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema: totpSchema,
    defaults: { code: '' },
    send: async ({ code }) => {
      await call('POST /session/factor', { body: { totp: code } }, { quiet: true });
      onDone();
    },
  });
  return (
    <form className="stack" noValidate onSubmit={submit}>
      <Field
        label={t('field.totp')}
        hint={t('field.totpHint')}
        autoComplete="one-time-code"
        inputMode="numeric"
        code
        {...field('code')}
      />
      <Failure cause={failure} />
      <Button type="submit" look="main" wide busy={isSubmitting && t('signIn.busy')}>
        {t('signIn.title')}
      </Button>
    </form>
  );
}

function RecoveryForm({ onDone }: Done): ReactNode {
  const t = useWords();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema: recoverySchema,
    defaults: { code: '' },
    send: async ({ code }) => {
      await call('POST /session/factor', { body: { recovery: code } }, { quiet: true });
      onDone();
    },
  });
  return (
    <form className="stack" noValidate onSubmit={submit}>
      <Field label={t('field.recovery')} hint={t('field.recoveryHint')} autoComplete="off" code {...field('code')} />
      <Failure cause={failure} />
      <Button type="submit" look="main" wide busy={isSubmitting && t('signIn.busy')}>
        {t('signIn.title')}
      </Button>
    </form>
  );
}

/** The second factor of a sign-in by password: a code of the app, a passkey, or a recovery code. */
export function SecondFactorForm({ onDone, onBack }: Done & { onBack: () => void }): ReactNode {
  const t = useWords();
  const [way, setWay] = useState<'totp' | 'recovery'>('totp');
  const passkey = useAction(async () => {
    await giveFactorByPasskey();
    onDone();
  });
  return (
    <div className="stack">
      {way === 'totp' ? <TotpForm onDone={onDone} /> : <RecoveryForm onDone={onDone} />}
      <Failure cause={passkey.failure} />
      <div className="stack stack-s justify-items-start">
        <Button look="quiet" small icon="passkey" busy={passkey.busy && t('passkey.waiting')} onClick={passkey.run}>
          {t('signIn.passkeyInstead')}
        </Button>
        <Button look="quiet" small icon="key" onClick={() => setWay(way === 'totp' ? 'recovery' : 'totp')}>
          {way === 'totp' ? t('signIn.recoveryInstead') : t('signIn.totpInstead')}
        </Button>
        <Button look="quiet" small icon="back" onClick={onBack}>
          {t('action.back')}
        </Button>
      </div>
    </div>
  );
}
