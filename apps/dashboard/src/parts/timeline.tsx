import type { ReactNode } from 'react';
import { createContext, use } from 'react';
import { useMoments } from '../language/moments.ts';
import type { IconName } from './icon.tsx';
import { Icon } from './icon.tsx';

/** Events, earliest first: icon, text, and time at the end. */

/** The moment whose day is in the heading; other days are shown at their events. */
const Beginning = createContext<number | undefined>(undefined);

export function Timeline({ since, children }: { since?: number; children: ReactNode }): ReactNode {
  return (
    <Beginning value={since}>
      <ol className="tl">{children}</ol>
    </Beginning>
  );
}

type MomentProps = {
  icon: IconName;
  tone?: 'good' | 'warn' | 'bad' | 'info' | 'solid';
  title: ReactNode;
  /** Unix seconds. */
  at: number;
  children?: ReactNode;
};

export function Moment({ icon, tone, title, at, children }: MomentProps): ReactNode {
  const moments = useMoments();
  const since = use(Beginning);
  const isSameDay = since === undefined || moments.day(since) === moments.day(at);
  return (
    <li>
      <span className={`dot${tone === undefined ? '' : ` dot-${tone}`}`}>
        <Icon name={icon} />
      </span>
      <div className="ev">
        <div className="ev-top">
          <strong>{title}</strong>
          <time dateTime={moments.iso(at)} title={moments.long(at)}>
            {isSameDay ? moments.clock(at) : `${moments.day(at)} ${moments.clock(at)}`}
          </time>
        </div>
        {children}
      </div>
    </li>
  );
}

/** Evidence that can be folded. */
export function Proof({
  icon,
  title,
  open = false,
  children,
}: {
  icon: IconName;
  title: string;
  open?: boolean;
  children: ReactNode;
}): ReactNode {
  return (
    <details className="proof" open={open}>
      <summary>
        <Icon name={icon} />
        {title}
        <Icon name="chev" />
      </summary>
      {children}
    </details>
  );
}
