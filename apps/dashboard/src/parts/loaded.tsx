import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import type { Permission, Role } from '../api/permission.ts';
import { rolesWith } from '../api/permission.ts';
import { failureText } from '../forms/failure.tsx';
import type { WordKey } from '../language/words.ts';
import { useWords } from '../language/words.ts';
import { Button } from './button.tsx';
import { CodeText } from './code-text.tsx';
import { CopyButton } from './copy.tsx';
import { Empty } from './empty.tsx';

/** States of what a page loads: bones, a failure, no permission, nothing there; old data stays when a reload fails. */

const PATIENCE_MS = 150;
const BONES = [1, 2, 3, 4];

/** Rows of the final size, shown only when loading takes longer than somebody notices. */
function Bones(): ReactNode {
  const t = useWords();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!shown) return null;
  return (
    <div className="card" aria-busy="true">
      <span className="vh" role="status">
        {t('state.loading')}
      </span>
      <div className="rows" aria-hidden="true">
        {BONES.map((one) => (
          <div key={one} className="row between">
            <span className="two grow gap-2">
              <span className="bone bone-title" />
              <span className="bone bone-line" />
            </span>
            <span className="bone bone-end" />
          </div>
        ))}
      </div>
    </div>
  );
}

export function NoPermission({ role, permission }: { role: Role; permission: Permission }): ReactNode {
  const t = useWords();
  const roles = rolesWith(permission).map((one) => t(`roles.${one}` as WordKey));
  const words = new Intl.ListFormat(document.documentElement.lang).format(roles);
  return (
    <Empty
      icon="lock"
      title={t('state.noPermission')}
      actions={<CopyButton text={t('state.askText', { page: location.href })}>{t('state.ask')}</CopyButton>}
    >
      {t('state.noPermissionAbout', { role: t(`role.${role}`), roles: words })}
    </Empty>
  );
}

export function NotFound(): ReactNode {
  const t = useWords();
  return (
    <Empty
      icon="search"
      title={t('state.notFound')}
      actions={
        <a className="b b-main" href="/">
          {t('state.home')}
        </a>
      }
    >
      {t('state.notFoundAbout')}
    </Empty>
  );
}

export function LoadFailure({ cause, retry }: { cause: unknown; retry: () => void }): ReactNode {
  const t = useWords();
  const requestId = cause instanceof ApiError ? cause.requestId : undefined;
  const after = requestId !== undefined && (
    <p className="small row row-wrap justify-center pt-3">
      {t('error.tell')} <CodeText code={requestId} label={t('copy.request')} />
    </p>
  );
  return (
    <Empty
      icon="warn"
      title={t('state.failed')}
      bad
      actions={
        <Button look="main" icon="refresh" onClick={retry}>
          {t('action.retry')}
        </Button>
      }
      after={after}
    >
      {failureText(t, cause)} {t('state.unaffected')}
    </Empty>
  );
}

type LoadedProps<Data> = {
  query: UseQueryResult<Data>;
  /** The reader's role, and the permission that the page needs. */
  role: Role;
  permission: Permission;
  children: (data: Data) => ReactNode;
};

export function Loaded<Data>({ query, role, permission, children }: LoadedProps<Data>): ReactNode {
  const { data, error } = query;
  if (data !== undefined) return children(data);
  if (error === null) return <Bones />;
  if (error instanceof ApiError && error.code === 'NO_PERMISSION')
    return <NoPermission role={role} permission={permission} />;
  if (error instanceof ApiError && error.code === 'NOT_FOUND') return <NotFound />;
  return <LoadFailure cause={error} retry={() => void query.refetch()} />;
}
