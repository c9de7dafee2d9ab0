import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import type { MenuEntry, MenuProps } from './menu.tsx';

function Entry({ label, icon, on = false, danger = false, onSelect }: MenuEntry): ReactNode {
  return (
    <Base.Item className={`menu-item${danger ? ' bad' : ''}`} onClick={onSelect}>
      {icon && <Icon name={icon} />}
      <span className="grow clip">{label}</span>
      {on && <Icon name="check" />}
    </Base.Item>
  );
}

/** The same button, with the list open from the start. */
export function OpenMenu({
  children,
  className,
  label,
  groups,
  side = 'bottom',
  align = 'start',
}: MenuProps): ReactNode {
  return (
    <Base.Root defaultOpen>
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
