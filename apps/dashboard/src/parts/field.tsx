import type { InputHTMLAttributes, ReactNode, Ref } from 'react';
import { useId, useState } from 'react';
import { useWords } from '../language/words.ts';

type FieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'style'> & {
  label: string;
  hint?: string | undefined;
  /** What is expected, if the value is invalid. */
  fault?: string | undefined;
  /** Whether the value is left to right in every language. */
  code?: boolean;
  beside?: ReactNode;
  ref?: Ref<HTMLInputElement>;
};

/** Shows or hides a password. */
function ShowToggle({ shown, onToggle }: { shown: boolean; onToggle: () => void }): ReactNode {
  const t = useWords();
  return (
    <button type="button" className="link" aria-pressed={shown} onClick={onToggle}>
      {t('field.show')}
    </button>
  );
}

/** A field with label above and hint or error below. */
export function Field({ label, hint, fault, code = false, beside, ...input }: FieldProps): ReactNode {
  const id = useId();
  const [shown, setShown] = useState(false);
  const isPassword = input.type === 'password';
  const about = fault ?? hint;
  return (
    <div>
      <div className="row between">
        <label className="label" htmlFor={id}>
          {label}
        </label>
        <span className="row gap-3 small">
          {beside}
          {isPassword && <ShowToggle shown={shown} onToggle={() => setShown(!shown)} />}
        </span>
      </div>
      <input
        {...input}
        {...(isPassword && shown && { type: 'text' })}
        id={id}
        className={`f${fault === undefined ? '' : ' f-bad'}${code ? ' mono' : ''}`}
        {...(code && { dir: 'ltr', spellCheck: false, autoCapitalize: 'off', autoCorrect: 'off' })}
        {...(fault !== undefined && { 'aria-invalid': true })}
        {...(about !== undefined && { 'aria-describedby': `${id}-about` })}
      />
      {about !== undefined && (
        <p className={`hint${fault === undefined ? '' : ' bad'}`} id={`${id}-about`}>
          {about}
        </p>
      )}
    </div>
  );
}
