import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { Failure } from '../forms/failure.tsx';
import { useAction } from '../forms/use-action.ts';
import { useWords } from '../language/words.ts';
import { useLinkToken } from '../use-link-token.ts';
import type { ButtonLook } from '../parts/button.tsx';
import { Button } from '../parts/button.tsx';
import { Note } from '../parts/note.tsx';
import { BarePage } from './bare-page.tsx';

/** Pages of links in emails. Nothing happens before a click: programs open links too. */

type LinkPageProps = {
  title: string;
  about: string;
  action: string;
  look?: ButtonLook;
  done: string;
  doneAbout: string;
  act: () => Promise<unknown>;
};

function LinkPage({ title, about, action, look = 'main', done, doneAbout, act }: LinkPageProps): ReactNode {
  const t = useWords();
  const [isDone, setDone] = useState(false);
  const { run, busy, failure } = useAction(async () => {
    await act();
    setDone(true);
  });
  return (
    <BarePage title={title} about={isDone ? undefined : about} below={<Link to="/">{t('link.open')}</Link>}>
      {isDone ? (
        <Note tone="good" title={done} live>
          <p>{doneAbout}</p>
        </Note>
      ) : (
        <div className="stack">
          <Failure cause={failure} />
          <Button look={look} wide busy={busy && t('action.sending')} onClick={run}>
            {action}
          </Button>
        </div>
      )}
    </BarePage>
  );
}

export function LockPage(): ReactNode {
  const t = useWords();
  const token = useLinkToken();
  return (
    <LinkPage
      title={t('lock.title')}
      about={t('lock.about')}
      action={t('lock.do')}
      look="danger-main"
      done={t('lock.done')}
      doneAbout={t('lock.doneAbout')}
      act={() => call('POST /lock', { body: { token } }, { quiet: true })}
    />
  );
}

export function KeepFactorsPage(): ReactNode {
  const t = useWords();
  const token = useLinkToken();
  return (
    <LinkPage
      title={t('keep.title')}
      about={t('keep.about')}
      action={t('keep.do')}
      done={t('keep.done')}
      doneAbout={t('keep.doneAbout')}
      act={() => call('POST /keep-factors', { body: { token } }, { quiet: true })}
    />
  );
}

export function EmailPage(): ReactNode {
  const t = useWords();
  const token = useLinkToken();
  return (
    <LinkPage
      title={t('email.title')}
      about={t('email.about')}
      action={t('email.do')}
      done={t('email.done')}
      doneAbout={t('email.doneAbout')}
      act={() => call('POST /me/email/confirm', { body: { token } })}
    />
  );
}

export function StopRestorePage(): ReactNode {
  const t = useWords();
  const token = useLinkToken();
  return (
    <LinkPage
      title={t('undoStop.title')}
      about={t('undoStop.about')}
      action={t('undoStop.do')}
      look="danger-main"
      done={t('undoStop.done')}
      doneAbout={t('undoStop.doneAbout')}
      act={() => call('POST /undo/stop', { body: { token } }, { quiet: true })}
    />
  );
}
