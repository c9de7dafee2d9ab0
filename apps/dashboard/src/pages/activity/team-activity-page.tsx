import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { teamActivityQuery } from '../../api/activity-queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { useWords } from '../../language/words.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { usePersonNames } from '../person-names.ts';
import { TeamTabs } from '../team-tabs.tsx';
import { EventList } from './event-list.tsx';

export function TeamActivityPage(): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const { account, role } = useAccount();
  const { after } = useSearch({ from: '/signed-in/m/$account/team/activity' });
  const query = useQuery(teamActivityQuery(account, after));
  const nameOf = usePersonNames();
  const onPage = (to: string | undefined) =>
    void navigate({
      to: '/m/$account/team/activity',
      params: { account },
      search: to === undefined ? {} : { after: to },
    });
  return (
    <>
      <PageHead title={t('activity.title')} about={t('activity.teamAbout')} />
      <TeamTabs />
      <Loaded query={query} role={role} permission="security.see" bones="table">
        {({ events, next }) => <EventList events={events} after={after} next={next} onPage={onPage} nameOf={nameOf} />}
      </Loaded>
    </>
  );
}
