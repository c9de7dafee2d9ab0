import type { InputHTMLAttributes, ReactNode, Ref } from 'react';
import { useId } from 'react';

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

/** A field with its label above, its hint below, and in place of the hint what is wrong. */
export function Field({ label, hint, fault, code = false, beside, ...input }: FieldProps): ReactNode {
  const id = useId();
  const about = fault ?? hint;
  return (
    <div>
      <div className="row between">
        <label className="label" htmlFor={id}>
          {label}
        </label>
        {beside}
      </div>
      <input
        {...input}
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
