import type { ButtonHTMLAttributes, ReactNode } from 'react';
import type { IconName } from './icon.tsx';
import { Icon } from './icon.tsx';

/** One main action per view, everything else plain or quiet. */

export type ButtonLook = 'main' | 'plain' | 'quiet' | 'danger' | 'danger-main';

const LOOKS: Record<ButtonLook, string> = {
  main: ' b-main',
  plain: '',
  quiet: ' b-quiet',
  danger: ' b-danger',
  'danger-main': ' b-danger-main',
};

export function buttonClass(look: ButtonLook = 'plain', { small = false, wide = false } = {}): string {
  return `b${LOOKS[look]}${small ? ' b-s' : ''}${wide ? ' b-block' : ''}`;
}

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style'> & {
  look?: ButtonLook;
  small?: boolean;
  wide?: boolean;
  icon?: IconName;
  /** The text while the button works; clicks are ignored. */
  busy?: string | false | undefined;
  children: ReactNode;
};

export function Button({ look, small = false, wide = false, icon, busy, children, ...rest }: ButtonProps): ReactNode {
  const isBusy = typeof busy === 'string';
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass(look, { small, wide })}
      // While it works, its name is its text.
      {...(isBusy && { 'aria-disabled': true, 'aria-label': undefined, onClick: undefined, type: 'button' })}
    >
      {icon && !isBusy && <Icon name={icon} />}
      {isBusy ? busy : children}
    </button>
  );
}
