import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import { Empty } from '../parts/empty.tsx';
import { PageHead } from '../parts/page-head.tsx';

/** Replaces every page of a merchant that requires two-factor which the reader lacks. */
export function TwoFactorNeeded({ name }: { name: string }): ReactNode {
  const t = useWords();
  const setUp = (
    <Link className="b b-main" to="/me/security">
      {t('required.do')}
    </Link>
  );
  return (
    <>
      <PageHead title={name} />
      <Empty icon="shield" title={t('required.title', { name })} actions={setUp}>
        {t('required.about')}
      </Empty>
    </>
  );
}
