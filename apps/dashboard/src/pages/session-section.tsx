import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Answer } from '../api/call.ts';
import { call } from '../api/call.ts';
import { queryClient, sessionsQuery } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { useAction } from '../forms/use-action.ts';
import { useMoments } from '../language/moments.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { LoadedPart } from '../parts/loaded.tsx';
import { Section } from '../parts/section.tsx';
import { agentName } from './agent-name.ts';

type Session = Answer<'GET /me/sessions'>['sessions'][number];

function SessionLine({ session }: { session: Session }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { run, busy, failure } = useAction(async () => {
    await call('DELETE /me/sessions/{session}', { path: { session: session.session } });
    await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  });
  return (
    <li>
      <div className="row-main">
        <span className="two">
          <strong className="strong">
            {agentName(session.agent)} {session.present && <span className="tag">{t('session.this')}</span>}
          </strong>
          <span className="t2">
            <bdi dir="ltr">{session.address}</bdi> · {t('session.seen', { time: moments.within(session.seen_at) })}
          </span>
        </span>
        {!session.present && (
          <Button look="quiet" small busy={busy && t('action.saving')} onClick={run}>
            {t('session.end')}
          </Button>
        )}
      </div>
      <Failure cause={failure} />
    </li>
  );
}

export function SessionSection(): ReactNode {
  const t = useWords();
  const query = useQuery(sessionsQuery);
  return (
    <Section title={t('session.title')} about={t('session.about')}>
      <LoadedPart query={query}>
        {({ sessions }) => (
          <ul className="rows">
            {sessions.map((session) => (
              <SessionLine key={session.session} session={session} />
            ))}
          </ul>
        )}
      </LoadedPart>
    </Section>
  );
}
