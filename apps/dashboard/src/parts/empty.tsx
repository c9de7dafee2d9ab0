import type { ReactNode } from 'react';
import type { IconName } from './icon.tsx';
import { Icon } from './icon.tsx';

type EmptyProps = {
  icon: IconName;
  title: string;
  children: ReactNode;
  actions?: ReactNode;
  /** Whether something failed, which is read out at once. */
  bad?: boolean;
  after?: ReactNode;
};

/** What stands in place of content: nothing there yet, nothing allowed, or nothing that could be loaded. */
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
