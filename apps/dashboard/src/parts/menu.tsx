import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import type { IconName } from './icon.tsx';
import { Icon } from './icon.tsx';

type MenuEntry = {
  label: string;
  icon?: IconName;
  /** Whether it is the present one of several. */
  on?: boolean;
  danger?: boolean;
  onSelect: () => void;
};

type MenuProps = {
  /** What the button shows. */
  children: ReactNode;
  className: string;
  label?: string;
  groups: readonly { title?: string; entries: readonly MenuEntry[] }[];
  side?: 'top' | 'bottom';
  align?: 'start' | 'end';
};

function Entry({ label, icon, on = false, danger = false, onSelect }: MenuEntry): ReactNode {
  return (
    <Base.Item className={`menu-item${danger ? ' bad' : ''}`} onClick={onSelect}>
      {icon && <Icon name={icon} />}
      <span className="grow clip">{label}</span>
      {on && <Icon name="check" />}
    </Base.Item>
  );
}

/** A button that opens a list of actions. */
export function Menu({ children, className, label, groups, side = 'bottom', align = 'start' }: MenuProps): ReactNode {
  return (
    <Base.Root>
      <Base.Trigger className={className} {...(label !== undefined && { 'aria-label': label })}>
        {children}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="menu-place" side={side} align={align} sideOffset={4}>
          <Base.Popup className="menu">
            {groups.map(({ title, entries }, index) => (
              <Base.Group key={title ?? index} className="menu-group">
                {title !== undefined && <Base.GroupLabel className="menu-title">{title}</Base.GroupLabel>}
                {entries.map((entry) => (
                  <Entry key={entry.label} {...entry} />
                ))}
              </Base.Group>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
