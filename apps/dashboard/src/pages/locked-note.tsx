import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { may } from '../api/permission.ts';
import { meQuery, queryClient } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { useAction } from '../forms/use-action.ts';
import { useAccount } from '../frame/membership.ts';
import { useMoments } from '../language/moments.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Note } from '../parts/note.tsx';
import { usePersonNames } from './person-names.ts';

export function LockedNote({ lockedAt, lockedBy }: { lockedAt: number; lockedBy: string | null }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const nameOf = usePersonNames();
  const { account, role } = useAccount();
  const { run, busy, failure } = useAction(async () => {
    await call('POST /accounts/{account}/unlock', { path: { account }, body: {} });
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: ['methods', account] }),
      queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
    ]);
  });
  const unlock = may(role, 'method.unlock') && (
    <Button icon="passkey" busy={busy && t('action.saving')} onClick={run}>
      {t('locked.unlock')}
    </Button>
  );
  const person = lockedBy === null ? t('locked.link') : nameOf(lockedBy);
  return (
    <Note tone="bad" icon="lock" title={t('locked.title')} actions={unlock}>
      <p>{t('locked.since', { time: moments.within(lockedAt), person })}</p>
      <p>{t('locked.goesOn')}</p>
      {!unlock && <p className="quiet">{t('locked.owners')}</p>}
      <Failure cause={failure} />
    </Note>
  );
}
