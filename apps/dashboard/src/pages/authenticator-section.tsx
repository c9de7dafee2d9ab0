import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Answer } from '../api/call.ts';
import { call } from '../api/call.ts';
import { meQuery, queryClient } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { formOf, totpField } from '../forms/schemas.ts';
import { useAction } from '../forms/use-action.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { useMe } from '../frame/membership.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { CodeText } from '../parts/code-text.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { Section } from '../parts/section.tsx';
import { RecoveryCodesDialog } from './recovery-codes.tsx';

type Begun = Answer<'POST /me/totp'>;

const schema = formOf({ totp: totpField });

type ConfirmProps = { begun: Begun; onDone: (codes: readonly string[]) => void; onClose: () => void };

function ConfirmDialog({ begun, onDone, onClose }: ConfirmProps): ReactNode {
  const t = useWords();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { totp: '' },
    send: async (body) => {
      const { recovery_codes: codes } = await call('POST /me/totp/confirm', { body });
      await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
      onDone(codes);
    },
  });
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button type="submit" look="main" busy={isSubmitting && t('action.saving')}>
        {t('totp.confirm')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('totp.add')} onClose={onClose} onSubmit={submit} foot={foot} sticky>
      <p className="quiet">{t('totp.scan')}</p>
      <QrCode text={begun.address} label={t('totp.picture')} />
      <p className="small quiet text-center">
        {t('totp.type')} <CodeText code={begun.secret} label={t('totp.copySecret')} />
      </p>
      <Field
        label={t('field.totp')}
        hint={t('field.totpHint')}
        autoComplete="one-time-code"
        inputMode="numeric"
        code
        {...field('totp')}
      />
      <Failure cause={failure} />
    </Dialog>
  );
}

export function AuthenticatorSection(): ReactNode {
  const t = useWords();
  const me = useMe();
  const [begun, setBegun] = useState<Begun>();
  const [codes, setCodes] = useState<readonly string[]>();
  const begin = useAction(async () => setBegun(await call('POST /me/totp', { body: {} })));
  const remove = useAction(async () => {
    await call('DELETE /me/totp');
    await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
  });
  const actions = (
    <span className="row row-wrap">
      {me.has_totp && (
        <Button look="quiet" busy={remove.busy && t('action.saving')} onClick={remove.run}>
          {t('totp.remove')}
        </Button>
      )}
      <Button icon="qr" busy={begin.busy && t('action.saving')} onClick={begin.run}>
        {t('totp.add')}
      </Button>
    </span>
  );
  const finish = (drawn: readonly string[]) => {
    setBegun(undefined);
    setCodes(drawn.length > 0 ? drawn : undefined);
  };
  return (
    <Section title={t('totp.title')} about={t('totp.about')} actions={actions}>
      {begin.failure !== undefined && (
        <div className="card-pad">
          <Failure cause={begin.failure} />
        </div>
      )}
      {remove.failure !== undefined && (
        <div className="card-pad">
          <Failure cause={remove.failure} />
        </div>
      )}
      {begun && <ConfirmDialog begun={begun} onDone={finish} onClose={() => setBegun(undefined)} />}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Section>
  );
}
