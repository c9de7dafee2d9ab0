import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { may } from '../api/permission.ts';
import { useAccount } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { Tabs } from '../parts/tabs.tsx';

/** Team pages; without permission for activity there are no tabs. */
export function TeamTabs(): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  if (!may(role, 'security.see')) return null;
  const present = { 'aria-current': 'page' } as const;
  return (
    <Tabs label={t('team.title')}>
      <Link to="/m/$account/team" params={{ account }} activeOptions={{ exact: true }} activeProps={present}>
        {t('team.title')}
      </Link>
      <Link to="/m/$account/team/activity" params={{ account }} activeProps={present}>
        {t('activity.title')}
      </Link>
    </Tabs>
  );
}
