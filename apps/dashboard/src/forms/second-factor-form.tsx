import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { giveFactorByPasskey } from '../api/passkeys.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { FactorCodeForm } from './factor-code-form.tsx';
import { Failure } from './failure.tsx';
import { useAction } from './use-action.ts';

type Done = { onDone: () => void };

/** Two-factor after a password: app code, passkey or recovery code. */
export function SecondFactorForm({ onDone, onBack }: Done & { onBack: () => void }): ReactNode {
  const t = useWords();
  const [way, setWay] = useState<'totp' | 'recovery'>('totp');
  const passkey = useAction(async () => {
    await giveFactorByPasskey();
    onDone();
  });
  return (
    <div className="stack">
      <FactorCodeForm
        key={way}
        way={way}
        action={t('signIn.title')}
        busy={t('signIn.busy')}
        send={async (factor) => {
          await call('POST /session/factor', { body: factor }, { quiet: true });
          onDone();
        }}
      />
      <Failure cause={passkey.failure} />
      <div className="stack stack-s justify-items-start">
        <Button look="quiet" small icon="passkey" busy={passkey.busy && t('passkey.waiting')} onClick={passkey.run}>
          {t('signIn.passkeyInstead')}
        </Button>
        <Button look="quiet" small icon="key" onClick={() => setWay(way === 'totp' ? 'recovery' : 'totp')}>
          {way === 'totp' ? t('signIn.recoveryInstead') : t('signIn.totpInstead')}
        </Button>
        <Button look="quiet" small icon="back" onClick={onBack}>
          {t('action.back')}
        </Button>
      </div>
    </div>
  );
}
