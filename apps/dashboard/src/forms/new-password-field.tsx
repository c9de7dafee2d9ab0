import type { ComponentProps, ReactNode } from 'react';
import { useState } from 'react';
import { useWords } from '../language/words.ts';
import { Field } from '../parts/field.tsx';
import { STRENGTHS, strengthOf } from './password-strength.ts';

type NewPasswordFieldProps = Omit<ComponentProps<typeof Field>, 'label' | 'hint' | 'type' | 'autoComplete'>;

/** A new password with requirements and strength. Password managers offer one. */
export function NewPasswordField(props: NewPasswordFieldProps): ReactNode {
  const t = useWords();
  const [typed, setTyped] = useState('');
  const strength = strengthOf(typed);
  return (
    <div>
      <Field
        label={t('field.newPassword')}
        hint={t('field.passwordHint')}
        type="password"
        autoComplete="new-password"
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        {...props}
      />
      {typed !== '' && (
        <p className={`strength strength-${strength}`}>
          <meter min={0} max={STRENGTHS.length} value={STRENGTHS.indexOf(strength) + 1} aria-hidden="true" />
          <span role="status">{t(`strength.${strength}`)}</span>
        </p>
      )}
    </div>
  );
}
