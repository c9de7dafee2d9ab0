import type { Permission, Role } from '@counterfoil/core/permission.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { rolesWith } from '../api/permission.ts';
import { failureText } from '../forms/failure.tsx';
import type { WordKey } from '../language/words.ts';
import { useWords } from '../language/words.ts';
import type { BonesKind } from './bones.tsx';
import { Bones } from './bones.tsx';
import { Button } from './button.tsx';
import { CodeText } from './code-text.tsx';
import { CopyButton } from './copy.tsx';
import { Empty } from './empty.tsx';
import { Note } from './note.tsx';

/** States of loading: placeholder, error, no permission, empty; old data stays when a reload fails. */

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
  /** The reader's role, and the required permission. */
  role: Role;
  permission: Permission;
  /** The placeholder: a table, figures with rows, or rows. */
  bones?: BonesKind;
  children: (data: Data) => ReactNode;
};

export function Loaded<Data>({ query, role, permission, bones, children }: LoadedProps<Data>): ReactNode {
  const { data, error } = query;
  if (data !== undefined) return children(data);
  if (error === null) return <Bones {...(bones && { kind: bones })} />;
  if (error instanceof ApiError && error.code === 'NO_PERMISSION')
    return <NoPermission role={role} permission={permission} />;
  if (error instanceof ApiError && error.code === 'NOT_FOUND') return <NotFound />;
  return <LoadFailure cause={error} retry={() => void query.refetch()} />;
}

/** The same for a part that everyone may see: an error replaces only that part. */
export function LoadedPart<Data>({ query, children }: Pick<LoadedProps<Data>, 'query' | 'children'>): ReactNode {
  const t = useWords();
  const { data, error } = query;
  if (data !== undefined) return children(data);
  if (error === null) {
    return (
      <div className="card-body" aria-busy="true">
        <span className="bone bone-title" />
      </div>
    );
  }
  return (
    <div className="card-body">
      <Note
        tone="bad"
        title={t('state.failed')}
        live
        actions={
          <Button icon="refresh" onClick={() => void query.refetch()}>
            {t('action.retry')}
          </Button>
        }
      >
        <p>{failureText(t, error)}</p>
      </Note>
    </div>
  );
}
