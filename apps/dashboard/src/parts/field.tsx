import type { InputHTMLAttributes, ReactNode, Ref } from 'react';
import { useId, useState } from 'react';
import { useWords } from '../language/words.ts';

type FieldProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'style'> & {
  label: string;
  hint?: string | undefined;
  /** What would be right, when what stands there is not. */
  fault?: string | undefined;
  /** Whether what is written reads from left to right in every language. */
  code?: boolean;
  /** Something beside the label, such as a link. */
  beside?: ReactNode;
  ref?: Ref<HTMLInputElement>;
};

/** Shows what is typed in a password field, or hides it again. */
function ShowToggle({ shown, onToggle }: { shown: boolean; onToggle: () => void }): ReactNode {
  const t = useWords();
  return (
    <button type="button" className="link" aria-pressed={shown} onClick={onToggle}>
      {t('field.show')}
    </button>
  );
}

/** A field with its label above, its hint below, and in place of the hint what is wrong. */
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
