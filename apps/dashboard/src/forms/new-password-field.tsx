import type { ComponentProps, ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import { Field } from '../parts/field.tsx';

type NewPasswordFieldProps = Omit<ComponentProps<typeof Field>, 'label' | 'hint' | 'type' | 'autoComplete'>;

/** The field of a password that somebody chooses: it says what a password needs, and password managers offer one. */
export function NewPasswordField(props: NewPasswordFieldProps): ReactNode {
  const t = useWords();
  return (
    <Field
      label={t('field.newPassword')}
      hint={t('field.passwordHint')}
      type="password"
      autoComplete="new-password"
      {...props}
    />
  );
}
