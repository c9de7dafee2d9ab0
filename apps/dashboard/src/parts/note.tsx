import type { ReactNode } from 'react';
import { useId } from 'react';
import type { IconName } from './icon.tsx';
import { Icon } from './icon.tsx';

type NoteProps = {
  tone: 'warn' | 'bad' | 'info' | 'good';
  icon?: IconName;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  /** Whether it appears later and is announced immediately. */
  live?: boolean;
};

const ICONS: Record<NoteProps['tone'], IconName> = { warn: 'warn', bad: 'warn', info: 'info', good: 'check' };

export function Note({ tone, icon = ICONS[tone], title, children, actions, live = false }: NoteProps): ReactNode {
  const id = useId();
  return (
    <section className={`note note-${tone}`} aria-labelledby={id} {...(live && { role: 'alert' })}>
      <Icon name={icon} />
      <div>
        <h2 id={id}>{title}</h2>
        {children}
        {actions && <div className="acts">{actions}</div>}
      </div>
    </section>
  );
}
