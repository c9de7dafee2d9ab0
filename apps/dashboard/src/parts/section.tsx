import type { ReactNode } from 'react';
import { useId } from 'react';

type SectionProps = { title: string; about?: string; actions?: ReactNode; children?: ReactNode };

/** A card with title, description, and action. */
export function Section({ title, about, actions, children }: SectionProps): ReactNode {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <div className="card-head">
        <div className="two grow">
          <h2 id={id}>{title}</h2>
          {about !== undefined && <p className="small quiet">{about}</p>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}
