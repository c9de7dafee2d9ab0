import type { ReactNode } from 'react';
import { useId } from 'react';

type ChoiceProps<Value extends string> = {
  legend: string;
  value: Value;
  options: readonly { value: Value; label: string; about?: string }[];
  onChange: (value: Value) => void;
};

/** A few choices, each with an explanation. */
export function Choice<Value extends string>({ legend, value, options, onChange }: ChoiceProps<Value>): ReactNode {
  const name = useId();
  return (
    <fieldset>
      <legend className="label">{legend}</legend>
      {options.map((one) => (
        <label key={one.value} className="radio">
          <input
            type="radio"
            name={name}
            value={one.value}
            checked={one.value === value}
            onChange={() => onChange(one.value)}
          />
          <span>
            <strong>{one.label}</strong>
            {one.about !== undefined && <span>{one.about}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

type SelectProps = {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
  hint?: string;
};

/** The browser's own list, which works with every keyboard and screen reader. */
export function SelectField({ label, value, options, onChange, hint }: SelectProps): ReactNode {
  const id = useId();
  return (
    <div>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className="f"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        {...(hint !== undefined && { 'aria-describedby': `${id}-about` })}
      >
        {options.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p className="hint" id={`${id}-about`}>
          {hint}
        </p>
      )}
    </div>
  );
}
