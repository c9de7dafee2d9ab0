import type { ReactNode } from 'react';
import { useEffect, useSyncExternalStore } from 'react';
import { readLostSinceMs, subscribeToConnection } from '../api/connection.ts';
import { queryClient } from '../api/queries.ts';
import { useWords } from '../language/words.ts';
import { Icon } from '../parts/icon.tsx';
import { LockBar } from './lock-bar.tsx';
import { useReachedMembership } from './membership.ts';

const RETRY_MS = 5_000;

const retry = () => void queryClient.refetchQueries({ type: 'active' });

/** Shown while the server is unreachable; rows stay. The lock has priority. */
export function StateBar(): ReactNode {
  const t = useWords();
  const lostSinceMs = useSyncExternalStore(subscribeToConnection, readLostSinceMs);
  const isLost = lostSinceMs !== undefined;
  useEffect(() => {
    if (!isLost) return undefined;
    const timer = setInterval(retry, RETRY_MS);
    return () => clearInterval(timer);
  }, [isLost]);
  const present = useReachedMembership();
  if (present?.locked) return <LockBar account={present.account} />;
  if (!isLost) return null;
  const time = new Date(lostSinceMs).toLocaleTimeString(document.documentElement.lang, { hourCycle: 'h23' });
  return (
    <div className="mode-bar is-calm" role="status">
      <Icon name="offline" />
      <span>
        <b>{t('stale.asOf', { time })}</b> {t('stale.about')}
      </span>
      <button type="button" className="b b-s ms-auto" onClick={retry}>
        {t('stale.tryNow')}
      </button>
    </div>
  );
}
