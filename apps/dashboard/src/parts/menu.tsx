import type { ReactNode } from 'react';
import { lazy, Suspense, useState } from 'react';
import type { IconName } from './icon.tsx';

/** Menus are a quarter of the frame's script and rarely opened: the list is loaded on approach. */
const load = () => import('./open-menu.tsx');
/** Preloads the list; a failure is shown when it is opened. */
const near = () => void load().catch(() => {});
const OpenMenu = lazy(async () => ({ default: (await load()).OpenMenu }));

export type MenuEntry = {
  label: string;
  icon?: IconName;
  /** Whether it is the selected one. */
  on?: boolean;
  danger?: boolean;
  onSelect: () => void;
};

export type MenuProps = {
  /** The button's content. */
  children: ReactNode;
  className: string;
  label?: string;
  groups: readonly { title?: string; entries: readonly MenuEntry[] }[];
  side?: 'top' | 'bottom';
  align?: 'start' | 'end';
};

/** A button that opens a list of actions. */
export function Menu(props: MenuProps): ReactNode {
  const { children, className, label } = props;
  const [wanted, setWanted] = useState(false);
  const button = (
    <button
      type="button"
      className={className}
      aria-haspopup="menu"
      aria-expanded="false"
      {...(label !== undefined && { 'aria-label': label })}
      onPointerEnter={near}
      onFocus={near}
      onClick={() => setWanted(true)}
    >
      {children}
    </button>
  );
  if (!wanted) return button;
  return (
    <Suspense fallback={button}>
      <OpenMenu {...props} />
    </Suspense>
  );
}
