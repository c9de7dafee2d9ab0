import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { stepUpByPasskey } from '../api/passkeys.ts';
import { meQuery } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { formOf, passwordField, totpField } from '../forms/schemas.ts';
import { useAction } from '../forms/use-action.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';

type StepUpProps = { onDone: () => void; onCancel: () => void };

const withCode = formOf({ password: passwordField, totp: totpField });
const withoutCode = formOf({ password: passwordField });

function WithCode({ look, onDone }: Pick<StepUpProps, 'onDone'> & { look: 'main' | 'plain' }): ReactNode {
  const t = useWords();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema: withCode,
    defaults: { password: '', totp: '' },
    send: async (body) => {
      await call('POST /session/step-up', { body }, { quiet: true });
      onDone();
    },
  });
  return (
    <form className="stack" noValidate onSubmit={submit}>
      <Field label={t('field.password')} type="password" autoComplete="current-password" {...field('password')} />
      <Field
        label={t('field.totp')}
        hint={t('field.totpHint')}
        autoComplete="one-time-code"
        inputMode="numeric"
        code
        {...field('totp')}
      />
      <Failure cause={failure} />
      <Button type="submit" look={look} wide busy={isSubmitting && t('stepUp.busy')}>
        {t('stepUp.byPasswordAndCode')}
      </Button>
    </form>
  );
}

function WithoutCode({ onDone }: Pick<StepUpProps, 'onDone'>): ReactNode {
  const t = useWords();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema: withoutCode,
    defaults: { password: '' },
    send: async (body) => {
      await call('POST /session/step-up', { body }, { quiet: true });
      onDone();
    },
  });
  return (
    <form className="stack" noValidate onSubmit={submit}>
      <Field label={t('field.password')} type="password" autoComplete="current-password" {...field('password')} />
      <Failure cause={failure} />
      <Button type="submit" look="main" wide busy={isSubmitting && t('stepUp.busy')}>
        {t('stepUp.byPassword')}
      </Button>
    </form>
  );
}

/** Step-up before a dangerous action, which then continues automatically. */
export function StepUpDialog({ onDone, onCancel }: StepUpProps): ReactNode {
  const t = useWords();
  const { data: me } = useQuery(meQuery);
  const passkey = useAction(async () => {
    await stepUpByPasskey();
    onDone();
  });
  return (
    <Dialog title={t('stepUp.title')} onClose={onCancel} sticky>
      <p className="quiet">{t('stepUp.about')}</p>
      {me?.has_passkey && (
        <>
          <Button look="main" icon="passkey" wide busy={passkey.busy && t('passkey.waiting')} onClick={passkey.run}>
            {t('stepUp.byPasskey')}
          </Button>
          <Failure cause={passkey.failure} />
        </>
      )}
      {me?.has_passkey && me.has_totp && <p className="or">{t('signIn.or')}</p>}
      {me?.has_totp && <WithCode look={me.has_passkey ? 'plain' : 'main'} onDone={onDone} />}
      {me && !me.has_factor && <WithoutCode onDone={onDone} />}
    </Dialog>
  );
}
