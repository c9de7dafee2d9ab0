import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Answer } from '../api/call.ts';
import { call } from '../api/call.ts';
import { giveFactorByPasskey } from '../api/passkeys.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { FactorCodeForm } from './factor-code-form.tsx';
import { Failure } from './failure.tsx';
import { useAction } from './use-action.ts';

export type OwnMethods = Answer<'POST /session'>['methods'];

type SecondFactorProps = { methods: OwnMethods; onDone: () => void; onBack: () => void };

/** Two-factor after a password, with the methods that the account has: a code, a passkey or a recovery code. */
export function SecondFactorForm({ methods, onDone, onBack }: SecondFactorProps): ReactNode {
  const t = useWords();
  const [way, setWay] = useState<'totp' | 'recovery' | 'passkey'>(methods.totp ? 'totp' : 'passkey');
  const passkey = useAction(async () => {
    await giveFactorByPasskey();
    onDone();
  });
  const isTyped = way !== 'passkey';
  return (
    <div className="stack">
      {isTyped && (
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
      )}
      <Failure cause={passkey.failure} />
      <div className={isTyped ? 'stack stack-s justify-items-start' : 'stack'}>
        {methods.passkey && (
          <Button
            {...(isTyped ? { look: 'quiet', small: true } : { look: 'main', wide: true })}
            icon="passkey"
            busy={passkey.busy && t('passkey.waiting')}
            onClick={passkey.run}
          >
            {isTyped ? t('signIn.passkeyInstead') : t('signIn.byPasskey')}
          </Button>
        )}
        {methods.totp && way !== 'totp' && (
          <Button look="quiet" small icon="key" onClick={() => setWay('totp')}>
            {t('signIn.totpInstead')}
          </Button>
        )}
        {methods.recovery && way !== 'recovery' && (
          <Button look="quiet" small icon="key" onClick={() => setWay('recovery')}>
            {t('signIn.recoveryInstead')}
          </Button>
        )}
        <Button look="quiet" small icon="back" onClick={onBack}>
          {t('action.back')}
        </Button>
      </div>
    </div>
  );
}
