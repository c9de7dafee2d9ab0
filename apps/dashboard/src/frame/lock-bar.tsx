import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import { Icon } from '../parts/icon.tsx';

/** Shown on every page of a merchant whose payment methods are locked. */
export function LockBar({ account }: { account: string }): ReactNode {
  const t = useWords();
  return (
    <div className="mode-bar is-bad" role="status">
      <Icon name="lock" />
      <span>
        <b>{t('locked.title')}</b> · {t('locked.goesOn')}
      </span>
      <Link to="/m/$account/stores" params={{ account }}>
        {t('stores.title')}
      </Link>
    </div>
  );
}
