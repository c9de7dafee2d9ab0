import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Failure } from './failure.tsx';
import { formOf, textField, totpField } from './schemas.ts';
import { useApiForm } from './use-api-form.ts';

type TypedFactor = { totp: string } | { recovery: string };

type FactorCodeProps = {
  way: 'totp' | 'recovery';
  send: (factor: TypedFactor) => Promise<void>;
  action: string;
  busy: string;
};

const SCHEMAS = { totp: formOf({ code: totpField }), recovery: formOf({ code: textField }) };

/** A field for an authenticator or recovery code. Use the way as key: ways share no input. */
export function FactorCodeForm({ way, send, action, busy }: FactorCodeProps): ReactNode {
  const t = useWords();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema: SCHEMAS[way],
    defaults: { code: '' },
    send: async ({ code }) => send(way === 'totp' ? { totp: code } : { recovery: code }),
  });
  const input =
    way === 'totp' ? (
      <Field
        label={t('field.totp')}
        hint={t('field.totpHint')}
        autoComplete="one-time-code"
        inputMode="numeric"
        code
        {...field('code')}
      />
    ) : (
      <Field label={t('field.recovery')} hint={t('field.recoveryHint')} autoComplete="off" code {...field('code')} />
    );
  return (
    <form className="stack" noValidate onSubmit={submit}>
      {input}
      <Failure cause={failure} />
      <Button type="submit" look="main" wide busy={isSubmitting && busy}>
        {action}
      </Button>
    </form>
  );
}
