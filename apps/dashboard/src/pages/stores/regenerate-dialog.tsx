import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { ApiKey } from '../../api/store-queries.ts';
import { refreshStore, storeQuery } from '../../api/store-queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { ltr } from '../../language/ltr.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/choice.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { useNowMs } from '../../parts/use-now.ts';
import type { Overlap } from './overlap.ts';
import { endOf, isInUse, OVERLAPS, recentCalls } from './overlap.ts';

type KeyOwner = { merchant_id: string; name: string; mode: 'live' | 'test'; api_key_hint: string | null };

/** Use of the present key, to consider before ending it. */
function KeyUse({ apiKey }: { apiKey: ApiKey | undefined }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  if (!apiKey) return null;
  const calls = recentCalls(apiKey.days, Date.now());
  const title = apiKey.last_used_at === null ? t('key.unused') : t('key.calls', { calls });
  return (
    <Note tone="info" title={title}>
      <p className="small">
        {apiKey.last_used_at !== null && `${t('key.used', { time: moments.short(apiKey.last_used_at) })}. `}
        {t('key.shared')}
      </p>
    </Note>
  );
}

type MadeProps = { name: string; apiKey: string; hint: string; endsAt: number | undefined; onClose: () => void };

/** The new key can be copied here; it is never shown. */
function MadeDialog({ name, apiKey, hint, endsAt, onClose }: MadeProps): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const title =
    endsAt === undefined ? t('key.madeNow', { hint: ltr(hint) }) : t('key.madeUntil', { time: moments.long(endsAt) });
  return (
    <Dialog
      title={t('key.made', { name })}
      onClose={onClose}
      sticky
      foot={
        <>
          <CopyButton text={apiKey}>{t('key.copyNew')}</CopyButton>
          <Button look="main" onClick={onClose}>
            {t('action.done')}
          </Button>
        </>
      }
    >
      <Note tone={endsAt === undefined ? 'warn' : 'good'} icon="key" title={title} live>
        <p>{endsAt === undefined ? t('key.madeNowAbout') : t('key.madeUntilAbout')}</p>
      </Note>
      <p className="quiet">{t('key.madeAbout')}</p>
    </Dialog>
  );
}

/** How long the old key works, with the end of each choice. */
function OverlapChoice({ overlap, onChange }: { overlap: Overlap; onChange: (overlap: Overlap) => void }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const nowMs = useNowMs();
  const options = OVERLAPS.map((hours) => ({
    value: String(hours),
    label: t(`key.in${hours}`),
    about: t(`key.in${hours}About`, { time: moments.within(endOf(hours, nowMs)) }),
  }));
  return (
    <Choice
      legend={t('key.ends')}
      value={String(overlap)}
      options={options}
      onChange={(value) => onChange(OVERLAPS.find((hours) => String(hours) === value) ?? 24)}
    />
  );
}

type RegenerateProps = { account: string; store: KeyOwner; onClose: () => void };

/** Replaces an API key; the overlap is chosen with its consequences shown. */
export function RegenerateDialog({ account, store, onClose }: RegenerateProps): ReactNode {
  const t = useWords();
  const { merchant_id: id, name, mode } = store;
  const [overlap, setOverlap] = useState<Overlap>(24);
  const [typed, setTyped] = useState('');
  const [fault, setFault] = useState<string>();
  const [made, setMade] = useState<{ key: string; endsAt: number | undefined }>();
  const detail = useQuery({ ...storeQuery(account, id), staleTime: 0 });
  const present = detail.data?.api_keys.find(({ state }) => state === 'current');
  // Without usage data, the key counts as used.
  const isUsed = present ? isInUse(present.last_used_at, Date.now()) : true;
  const mustType = overlap === 0 && mode === 'live' && isUsed;
  const { run, busy, failure } = useAction(async () => {
    const asked = { path: { account, store: id }, body: { overlap_hours: overlap } };
    const { api_key: key } = await call('POST /accounts/{account}/stores/{store}/key', asked);
    setMade({ key, endsAt: overlap === 0 ? undefined : endOf(overlap, Date.now()) });
    await refreshStore(account, id);
  });
  const hint = store.api_key_hint ?? '';
  if (made) return <MadeDialog name={name} apiKey={made.key} hint={hint} endsAt={made.endsAt} onClose={onClose} />;
  const submit = () => {
    if (mustType && typed.trim() !== name) setFault(t('key.typeFault'));
    else run();
  };
  return (
    <Dialog
      title={t('key.title', { name })}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      foot={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            type="submit"
            look={overlap === 0 ? 'danger-main' : 'main'}
            icon="refresh"
            busy={busy && t('key.making')}
          >
            {t('key.make')}
          </Button>
        </>
      }
    >
      <p className="quiet">{t('key.about', { hint: ltr(hint) })}</p>
      <OverlapChoice overlap={overlap} onChange={setOverlap} />
      <KeyUse apiKey={present} />
      {mustType && (
        <Field
          label={t('key.type', { name })}
          hint={t('key.typeHint')}
          fault={fault}
          value={typed}
          autoComplete="off"
          onChange={(event) => {
            setTyped(event.target.value);
            setFault(undefined);
          }}
        />
      )}
      <Failure cause={failure} />
    </Dialog>
  );
}
