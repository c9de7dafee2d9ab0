import type { ReactNode } from 'react';
import type { IconName } from './icon.tsx';
import { Icon } from './icon.tsx';

type EmptyProps = {
  icon: IconName;
  title: string;
  children: ReactNode;
  actions?: ReactNode;
  /** Whether it is an error, which is announced immediately. */
  bad?: boolean;
  after?: ReactNode;
};

export function Empty({ icon, title, children, actions, bad = false, after }: EmptyProps): ReactNode {
  return (
    <div className="card">
      <div className="empty" {...(bad && { role: 'alert' })}>
        <span className={`pic${bad ? ' pic-bad' : ''}`}>
          <Icon name={icon} large />
        </span>
        <h2>{title}</h2>
        <p>{children}</p>
        {actions && <div className="acts">{actions}</div>}
        {after}
      </div>
    </div>
  );
}
