import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { meQuery, queryClient } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { useAction } from '../forms/use-action.ts';
import { useMe } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Note } from '../parts/note.tsx';
import { Section } from '../parts/section.tsx';
import { RecoveryCodesDialog } from './recovery-codes.tsx';

export function RecoverySection(): ReactNode {
  const t = useWords();
  const me = useMe();
  const [codes, setCodes] = useState<readonly string[]>();
  const renew = useAction(async () => {
    const { recovery_codes: drawn } = await call('POST /me/recovery-codes', { body: {} });
    setCodes(drawn);
    await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
  });
  const actions = me.has_factor && (
    <Button icon="refresh" busy={renew.busy && t('action.saving')} onClick={renew.run}>
      {t('recovery.renew')}
    </Button>
  );
  const isAtRisk = me.has_factor && (me.recovery_codes_left === 0 || !me.recovery_codes_confirmed);
  return (
    <Section
      title={t('recovery.title')}
      about={me.has_factor ? t('recovery.left', { count: me.recovery_codes_left }) : t('recovery.later')}
      actions={actions}
    >
      {isAtRisk && !codes && (
        <div className="card-pad">
          <Note tone="warn" title={t(me.recovery_codes_left === 0 ? 'recovery.none' : 'recovery.unconfirmed')}>
            <p>{t('recovery.atRisk')}</p>
          </Note>
        </div>
      )}
      {renew.failure !== undefined && (
        <div className="card-pad">
          <Failure cause={renew.failure} />
        </div>
      )}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Section>
  );
}
