import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWords } from '../language/words.ts';
import { Tabs } from '../parts/tabs.tsx';

export function MeTabs(): ReactNode {
  const t = useWords();
  const present = { 'aria-current': 'page' } as const;
  return (
    <Tabs label={t('me.short')}>
      <Link to="/me/security" activeProps={present}>
        {t('me.title')}
      </Link>
      <Link to="/me/activity" activeProps={present}>
        {t('activity.title')}
      </Link>
      <Link to="/me/notifications" activeProps={present}>
        {t('notices.title')}
      </Link>
    </Tabs>
  );
}
