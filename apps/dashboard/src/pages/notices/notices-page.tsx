import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../api/call.ts';
import type { NoticeAccount } from '../../api/notice-queries.ts';
import { noticesQuery } from '../../api/notice-queries.ts';
import { queryClient } from '../../api/queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { useMe, useMembership } from '../../frame/membership.ts';
import { useWords } from '../../language/words.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Section } from '../../parts/section.tsx';
import { Toggle } from '../../parts/toggle.tsx';
import { MeTabs } from '../me-tabs.tsx';

const TOPICS = ['balance', 'unmatched-money', 'webhooks', 'api-keys', 'exchange-keys'] as const;
type Topic = (typeof TOPICS)[number];

type TopicLineProps = { account: NoticeAccount; topic: Topic };

/** A topic with its switch, saved immediately. */
function TopicLine({ account, topic }: TopicLineProps): ReactNode {
  const t = useWords();
  const isOn = account.wanted[topic] === true;
  const { run, busy, failure } = useAction(async () => {
    const wanted = { [topic]: !isOn };
    await call('PUT /me/notifications', { body: { account: account.account, wanted } });
    await queryClient.invalidateQueries(noticesQuery);
  });
  return (
    <li>
      <Toggle
        label={t(`notice.${topic}`)}
        about={t(`noticeAbout.${topic}`)}
        on={busy ? !isOn : isOn}
        onChange={busy ? () => undefined : run}
      />
      <Failure cause={failure} />
    </li>
  );
}

function AccountSection({ account }: { account: NoticeAccount }): ReactNode {
  const t = useWords();
  const told = TOPICS.filter((topic) => topic in account.wanted);
  return (
    <Section title={account.name} about={told.length === 0 ? t('notices.noneFor') : t('notices.for')}>
      {told.length > 0 && (
        <ul className="rows">
          {told.map((topic) => (
            <TopicLine key={topic} account={account} topic={topic} />
          ))}
        </ul>
      )}
    </Section>
  );
}

export function NoticesPage(): ReactNode {
  const t = useWords();
  const me = useMe();
  const query = useQuery(noticesQuery);
  const role = useMembership()?.role ?? 'viewer';
  return (
    <>
      <PageHead title={t('notices.title')} about={t('notices.about', { mail: me.mail })} />
      <MeTabs />
      <Loaded query={query} role={role} permission="invoice.see">
        {({ accounts }) =>
          accounts.length === 0 ? (
            <Empty icon="bell" title={t('notices.none')}>
              {t('notices.noneAbout')}
            </Empty>
          ) : (
            accounts.map((account) => <AccountSection key={account.account} account={account} />)
          )
        }
      </Loaded>
      <p className="small quiet">{t('notices.always')}</p>
    </>
  );
}
