import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { KeptCodes } from './code-text.tsx';

type PageHeadProps = { title: string; about?: string; before?: ReactNode; after?: ReactNode; actions?: ReactNode };

/** A page's title, description and main action. */
export function PageHead({ title, about, before, after, actions }: PageHeadProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Counterfoil`;
  }, [title]);
  return (
    <header className="head">
      <div className="grow">
        {before}
        <h1 tabIndex={-1}>
          <bdi>
            <KeptCodes text={title} />
          </bdi>
        </h1>
        {about !== undefined && <p>{about}</p>}
        {after}
      </div>
      {actions && <div className="row">{actions}</div>}
    </header>
  );
}
