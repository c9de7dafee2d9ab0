import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import { LoadFailure, NotFound } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';

/** Replaces the app when it cannot start: with a text, a link, and the request id. */
export function FailurePage({ error }: ErrorComponentProps): ReactNode {
  const t = useWords();
  return (
    <main className="page">
      <PageHead title={t('state.failedTitle')} />
      <LoadFailure cause={error} retry={() => location.reload()} />
    </main>
  );
}

export function NotFoundPage(): ReactNode {
  const t = useWords();
  return (
    <main className="page">
      <PageHead title={t('state.notFoundTitle')} />
      <NotFound />
    </main>
  );
}
