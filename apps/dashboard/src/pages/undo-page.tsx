import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { isCode } from '../api/api-error.ts';
import type { Answer } from '../api/call.ts';
import { call } from '../api/call.ts';
import { restoreByPasskey } from '../api/passkeys.ts';
import { FactorCodeForm } from '../forms/factor-code-form.tsx';
import { Failure } from '../forms/failure.tsx';
import { useAction } from '../forms/use-action.ts';
import { useMoments } from '../language/moments.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Note } from '../parts/note.tsx';
import { useLinkToken } from '../use-link-token.ts';
import { BarePage } from './bare-page.tsx';

/** The page of an email's undo link: from ending all sessions to restoring address, password and two-factor methods. */

type Opened = Answer<'POST /undo'>;
type StepProps = { token: string; opened: Opened; onRestored: () => void; onGone: (cause: unknown) => void };

/** Passes refusals on, except that the link no longer works. */
async function orGone(acting: Promise<unknown>, onGone: (cause: unknown) => void): Promise<boolean> {
  try {
    await acting;
    return true;
  } catch (cause) {
    if (!isCode(cause, 'LINK_INVALID')) throw cause;
    onGone(cause);
    return false;
  }
}

function EarlierFactors({ token, opened, onRestored, onGone }: StepProps): ReactNode {
  const t = useWords();
  const { totp, recovery, passkey } = opened;
  const isTyped = totp || recovery;
  const [way, setWay] = useState<'totp' | 'recovery'>(totp ? 'totp' : 'recovery');
  const restore = async (acting: Promise<unknown>) => {
    if (await orGone(acting, onGone)) onRestored();
  };
  const byPasskey = useAction(() => restore(restoreByPasskey(token)));
  return (
    <div className="stack">
      {isTyped && (
        <FactorCodeForm
          key={way}
          way={way}
          action={t('undo.restore')}
          busy={t('undo.restoring')}
          send={(factor) => restore(call('POST /undo/restore', { body: { token, ...factor } }, { quiet: true }))}
        />
      )}
      <Failure cause={byPasskey.failure} />
      <div className={isTyped ? 'stack stack-s justify-items-start' : 'stack'}>
        {passkey && (
          <Button
            {...(isTyped ? { look: 'quiet', small: true } : { look: 'main', wide: true })}
            icon="passkey"
            busy={byPasskey.busy && t('passkey.waiting')}
            onClick={byPasskey.run}
          >
            {t('undo.passkey')}
          </Button>
        )}
        {totp && recovery && (
          <Button look="quiet" small icon="key" onClick={() => setWay(way === 'totp' ? 'recovery' : 'totp')}>
            {way === 'totp' ? t('signIn.recoveryInstead') : t('signIn.totpInstead')}
          </Button>
        )}
      </div>
    </div>
  );
}

function RequestButton({
  token,
  onRequested,
  onGone,
}: Pick<StepProps, 'token' | 'onGone'> & { onRequested: (effectiveAt: number) => void }): ReactNode {
  const t = useWords();
  const { run, busy, failure } = useAction(async () => {
    const requesting = call('POST /undo/request', { body: { token } }, { quiet: true });
    if (await orGone(requesting, onGone)) onRequested((await requesting).effective_at);
  });
  return (
    <div className="stack">
      <Failure cause={failure} />
      <Button wide busy={busy && t('action.sending')} onClick={run}>
        {t('undo.request')}
      </Button>
    </div>
  );
}

/** Ways to restore: an earlier two-factor method, or a day's wait. */
function OpenedUndo({ token, opened, onRestored, onGone }: StepProps): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const [effectiveAt, setEffectiveAt] = useState(opened.effective_at);
  const hasMethod = opened.totp || opened.recovery || opened.passkey;
  const factors = <EarlierFactors token={token} opened={opened} onRestored={onRestored} onGone={onGone} />;
  if (effectiveAt !== null)
    return (
      <div className="stack">
        <Note tone="info" title={t('undo.waits', { time: moments.long(effectiveAt) })} live>
          <p>{t('undo.waitsAbout')}</p>
          {hasMethod && <p>{t('undo.waitsProof')}</p>}
        </Note>
        {hasMethod && factors}
      </div>
    );
  const request = <RequestButton token={token} onRequested={setEffectiveAt} onGone={onGone} />;
  if (!hasMethod)
    return (
      <div className="stack">
        <p>{t('undo.none')}</p>
        {request}
      </div>
    );
  return (
    <div className="stack">
      <p>{t('undo.proof', { mail: opened.mail })}</p>
      {factors}
      <details className="more">
        <summary>
          <Icon name="chev" />
          {t('undo.later')}
        </summary>
        <div className="stack pt-3">
          <p className="quiet">{t('undo.laterAbout')}</p>
          {request}
        </div>
      </details>
    </div>
  );
}

export function UndoPage(): ReactNode {
  const t = useWords();
  const token = useLinkToken();
  const [opened, setOpened] = useState<Opened>();
  const [end, setEnd] = useState<'restored' | 'gone'>();
  const onGone = () => setEnd('gone');
  const { run, busy, failure } = useAction(async () => {
    const opening = call('POST /undo', { body: { token } }, { quiet: true });
    if (await orGone(opening, onGone)) setOpened(await opening);
  });
  const below = <Link to="/sign-in">{t('signIn.instead')}</Link>;
  if (end === 'gone')
    return (
      <BarePage title={t('undo.gone')} below={below}>
        <p className="quiet">{t('undo.goneAbout')}</p>
      </BarePage>
    );
  if (end === 'restored')
    return (
      <BarePage title={t('undo.title')} below={below}>
        <Note tone="good" title={t('undo.restored')} live>
          <p>{t('undo.restoredAbout')}</p>
        </Note>
      </BarePage>
    );
  if (opened)
    return (
      <BarePage title={t('undo.title')} about={t('undo.opened')} below={below}>
        <OpenedUndo token={token} opened={opened} onRestored={() => setEnd('restored')} onGone={onGone} />
      </BarePage>
    );
  return (
    <BarePage title={t('undo.title')} about={t('undo.about')} below={below}>
      <div className="stack">
        <p>{t('undo.first')}</p>
        <Failure cause={failure} />
        <Button look="danger-main" wide busy={busy && t('action.sending')} onClick={run}>
          {t('undo.do')}
        </Button>
      </div>
    </BarePage>
  );
}
