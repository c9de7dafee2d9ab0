import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ownActivityQuery } from '../../api/activity-queries.ts';
import { useWords } from '../../language/words.ts';
import { LoadedPart } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { MeTabs } from '../me-tabs.tsx';
import { EventList } from './event-list.tsx';

export function OwnActivityPage(): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const { after } = useSearch({ from: '/signed-in/me/activity' });
  const query = useQuery(ownActivityQuery(after));
  const onPage = (to: string | undefined) =>
    void navigate({ to: '/me/activity', search: to === undefined ? {} : { after: to } });
  return (
    <>
      <PageHead title={t('activity.title')} about={t('activity.about')} />
      <MeTabs />
      <LoadedPart query={query}>
        {({ events, next }) => <EventList events={events} after={after} next={next} onPage={onPage} />}
      </LoadedPart>
    </>
  );
}
