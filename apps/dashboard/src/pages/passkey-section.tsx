import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Answer } from '../api/call.ts';
import { call } from '../api/call.ts';
import { addPasskey } from '../api/passkeys.ts';
import { meQuery, passkeysQuery, queryClient } from '../api/queries.ts';
import { Failure } from '../forms/failure.tsx';
import { formOf, nameField } from '../forms/schemas.ts';
import { useAction } from '../forms/use-action.ts';
import { useApiForm } from '../forms/use-api-form.ts';
import { useMoments } from '../language/moments.ts';
import { useWords } from '../language/words.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { LoadedPart } from '../parts/loaded.tsx';
import { Section } from '../parts/section.tsx';
import { RecoveryCodesDialog } from './recovery-codes.tsx';

type Passkey = Answer<'GET /me/passkeys'>['passkeys'][number];

async function reload(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: passkeysQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
  ]);
}

const schema = formOf({ name: nameField });

/** A default name from the browser's user agent. */
function deviceName(): string {
  const { userAgent } = navigator;
  return ['iPhone', 'iPad', 'Android', 'Windows', 'Mac', 'Linux'].find((name) => userAgent.includes(name)) ?? '';
}

type AddPasskeyProps = { onDone: (codes: readonly string[]) => void; onClose: () => void };

function AddPasskeyDialog({ onDone, onClose }: AddPasskeyProps): ReactNode {
  const t = useWords();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { name: deviceName() },
    send: async ({ name }) => {
      const codes = await addPasskey(name);
      await reload();
      onDone(codes);
    },
  });
  const foot = (
    <>
      <Button onClick={onClose}>{t('action.cancel')}</Button>
      <Button type="submit" look="main" icon="passkey" busy={isSubmitting && t('passkey.waiting')}>
        {t('passkey.create')}
      </Button>
    </>
  );
  return (
    <Dialog title={t('passkey.add')} onClose={onClose} onSubmit={submit} foot={foot} sticky>
      <p className="quiet">{t('passkey.addAbout')}</p>
      <Field
        label={t('passkey.name')}
        hint={t('passkey.nameHint')}
        autoComplete="off"
        maxLength={60}
        {...field('name')}
      />
      <Failure cause={failure} />
    </Dialog>
  );
}

function PasskeyLine({ passkey }: { passkey: Passkey }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { run, busy, failure } = useAction(async () => {
    await call('DELETE /me/passkeys/{passkey}', { path: { passkey: passkey.passkey } });
    await reload();
  });
  const used =
    passkey.last_used_at === null
      ? t('passkey.unused')
      : t('passkey.used', { time: moments.within(passkey.last_used_at) });
  return (
    <li>
      <div className="row-main">
        <span className="row gap-3">
          <Icon name="passkey" large />
          <span className="two">
            <strong className="strong">{passkey.name}</strong>
            <span className="t2">
              {t('passkey.added', { time: moments.day(passkey.created_at) })} · {used}
            </span>
          </span>
        </span>
        <Button
          look="quiet"
          small
          aria-label={t('passkey.removeOf', { name: passkey.name })}
          busy={busy && t('action.saving')}
          onClick={run}
        >
          {t('action.remove')}
        </Button>
      </div>
      <Failure cause={failure} />
    </li>
  );
}

export function PasskeySection(): ReactNode {
  const t = useWords();
  const [adding, setAdding] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const finish = (issued: readonly string[]) => {
    setAdding(false);
    setCodes(issued);
  };
  const query = useQuery(passkeysQuery);
  const isNone = query.data?.passkeys.length === 0;
  return (
    <Section
      title={t('passkey.title')}
      about={t('passkey.about')}
      actions={
        <Button look={isNone ? 'main' : 'plain'} icon="plus" onClick={() => setAdding(true)}>
          {t('passkey.add')}
        </Button>
      }
    >
      <LoadedPart query={query}>
        {({ passkeys }) =>
          passkeys.length > 0 && (
            <ul className="rows">
              {passkeys.map((passkey) => (
                <PasskeyLine key={passkey.passkey} passkey={passkey} />
              ))}
            </ul>
          )
        }
      </LoadedPart>
      {adding && <AddPasskeyDialog onDone={finish} onClose={() => setAdding(false)} />}
      {codes.length > 0 && <RecoveryCodesDialog codes={codes} onClose={() => setCodes([])} />}
    </Section>
  );
}
