import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../api/call.ts';
import { networkOf } from '../api/networks.ts';
import { may } from '../api/permission.ts';
import type { MethodChange, Methods } from '../api/queries.ts';
import { methodsQuery, queryClient } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { useAction } from '../forms/use-action.ts';
import { useAccount } from '../frame/membership.ts';
import { useMoments } from '../language/moments.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { WholeAddress } from '../parts/code-text.tsx';
import { Note } from '../parts/note.tsx';
import { useNowMs } from '../parts/use-now.ts';
import { usePersonNames } from './person-names.ts';

/** The present and the new address, unabridged. */
function Addresses({ change, methods }: { change: MethodChange; methods: Methods['methods'] }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const present = methods.filter(({ network }) => network === change.network);
  return (
    <div className={`grid gap-3 mt-2 ${present.length > 0 ? 'g-2' : ''}`}>
      {present.map(({ address }) => (
        <div key={address} className="card py-3 px-4">
          <span className="small quiet">{t('methods.now')}</span>
          <WholeAddress address={address} />
        </div>
      ))}
      <div className="card py-3 px-4">
        <span className="small quiet">{t('methods.from', { time: moments.within(change.effective_at) })}</span>
        <WholeAddress address={change.address} />
      </div>
    </div>
  );
}

type PendingProps = { change: MethodChange; methods: Methods['methods']; onLock: () => void };

/** A pending change: what, by whom, until when, and how to stop it. */
export function PendingChange({ change, methods, onLock }: PendingProps): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const nameOf = usePersonNames();
  const nowMs = useNowMs();
  const { account, role } = useAccount();
  const { store } = useParams({ from: '/signed-in/m/$account/stores/$store/methods' });
  const cancel = useAction(async () => {
    const path = { account, change: change.change };
    await call('POST /accounts/{account}/method-changes/{change}/cancel', { path, body: {} });
    await queryClient.invalidateQueries(methodsQuery(account, store));
  });
  const name = networkOf(change.network).name;
  const left = moments.left(change.effective_at, nowMs);
  const passed = nowMs / SECOND_MS - change.requested_at;
  const actions = (
    <>
      <Button look="danger" icon="lock" onClick={onLock}>
        {t('methods.notUs')}
      </Button>
      {may(role, 'method.change', true) && (
        <Button busy={cancel.busy && t('action.saving')} onClick={cancel.run}>
          {t('methods.cancel')}
        </Button>
      )}
    </>
  );
  return (
    <Note tone="warn" icon="clock" title={t('methods.pending', { name, left })} actions={actions}>
      <p>
        {t('methods.pendingAbout', {
          person: nameOf(change.requested_by),
          time: moments.within(change.requested_at),
          until: moments.long(change.effective_at),
        })}
      </p>
      <Addresses change={change} methods={methods} />
      <div className="meter meter-warn mt-2">
        <progress
          aria-label={t('methods.passed')}
          max={change.effective_at - change.requested_at}
          value={Math.max(0, passed)}
        />
      </div>
      <Failure cause={cancel.failure} />
    </Note>
  );
}
