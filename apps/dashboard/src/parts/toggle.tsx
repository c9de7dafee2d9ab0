import type { ReactNode } from 'react';
import { useId } from 'react';

type ToggleProps = {
  label: string;
  about?: string | undefined;
  on: boolean;
  onChange: (on: boolean) => void;
  disabled?: boolean;
};

/** A switch whose label is clickable too. */
export function Toggle({ label, about, on, onChange, disabled = false }: ToggleProps): ReactNode {
  const id = useId();
  return (
    <div className="row between gap-4">
      <label className="two grow" htmlFor={id}>
        <span className="font-medium">{label}</span>
        {about !== undefined && (
          <span className="small quiet" id={`${id}-about`}>
            {about}
          </span>
        )}
      </label>
      <button
        id={id}
        type="button"
        className="toggle"
        role="switch"
        aria-checked={on}
        aria-label={label}
        {...(about !== undefined && { 'aria-describedby': `${id}-about` })}
        {...(disabled ? { 'aria-disabled': true } : { onClick: () => onChange(!on) })}
      />
    </div>
  );
}
