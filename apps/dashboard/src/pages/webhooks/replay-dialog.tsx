import { DAY_SECONDS, SECOND_MS } from '@counterfoil/core/duration.ts';
import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Answer } from '../../api/call.ts';
import { call } from '../../api/call.ts';
import type { Store } from '../../api/queries.ts';
import { queryClient } from '../../api/queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { fromField, toField } from './moment-field.ts';

type Counted = Answer<'POST /accounts/{account}/stores/{store}/replay'>;

const MAX_SECONDS = 31 * DAY_SECONDS;

/** The initial range: the last day, up to this minute. */
function firstRange(): { from: string; to: string } {
  const now = Math.floor(Date.now() / SECOND_MS);
  return { from: toField(now - DAY_SECONDS), to: toField(now + 60) };
}

function DoneDialog({ count, onClose }: { count: number; onClose: () => void }): ReactNode {
  const t = useWords();
  const foot = (
    <Button look="main" onClick={onClose}>
      {t('action.done')}
    </Button>
  );
  return (
    <Dialog title={t('replay.title')} onClose={onClose} foot={foot}>
      <Note tone="good" title={t('replay.done', { count })} live>
        <p>{t('replay.doneAbout')}</p>
      </Note>
    </Dialog>
  );
}

/** What would be sent again. */
function CountedNote({ counted }: { counted: Counted }): ReactNode {
  const t = useWords();
  const { redelivered: count, pending, erased } = counted;
  return (
    <Note tone={count === 0 ? 'info' : 'warn'} icon="info" title={t('replay.counted', { count })} live>
      <p>{t('replay.countedAbout', { pending, erased })}</p>
    </Note>
  );
}

type Choice = { store: string; from: string; to: string };

/** Counts a range's events first, then sends exactly that range. */
function useReplay(account: string, { store, from, to }: Choice) {
  const [counted, setCounted] = useState<Counted>();
  const [sent, setSent] = useState<number>();
  const range = { from: fromField(from) ?? 0, to: fromField(to) ?? 0 };
  const isFit = range.from > 0 && range.from < range.to && range.to - range.from <= MAX_SECONDS;
  const ask = (dryRun: boolean) =>
    call('POST /accounts/{account}/stores/{store}/replay', {
      path: { account, store },
      body: { ...range, dry_run: dryRun },
    });
  const count = useAction(async () => setCounted(await ask(true)));
  const send = useAction(async () => {
    const { redelivered } = await ask(false);
    setSent(redelivered);
    await queryClient.invalidateQueries({ queryKey: ['deliveries', account] });
  });
  return { counted, sent, isFit, count, send, forget: () => setCounted(undefined) };
}

type ReplayProps = { account: string; stores: readonly Store[]; first: string | undefined; onClose: () => void };

export function ReplayDialog({ account, stores, first, onClose }: ReplayProps): ReactNode {
  const t = useWords();
  const [choice, setChoice] = useState(() => ({ store: first ?? stores[0]?.merchant_id ?? '', ...firstRange() }));
  const { counted, sent, isFit, count, send, forget } = useReplay(account, choice);
  const [tried, setTried] = useState(false);
  const change = (part: Partial<Choice>) => {
    setChoice({ ...choice, ...part });
    forget();
  };
  const submit = (event: { preventDefault: () => void }) => {
    event.preventDefault();
    setTried(true);
    if (isFit && !count.busy) count.run();
  };
  if (sent !== undefined) return <DoneDialog count={sent} onClose={onClose} />;
  const number = counted?.redelivered ?? 0;
  const main =
    number > 0 ? (
      <Button look="main" icon="refresh" busy={send.busy && t('action.sending')} onClick={send.run}>
        {t('replay.send', { count: number })}
      </Button>
    ) : (
      <Button look="main" type="submit" busy={count.busy && t('replay.counting')}>
        {t('replay.count')}
      </Button>
    );
  return (
    <Dialog
      title={t('replay.title')}
      onClose={onClose}
      onSubmit={submit}
      foot={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          {main}
        </>
      }
    >
      <p className="quiet">{t('replay.about')}</p>
      <SelectField
        label={t('testEvent.store')}
        value={choice.store}
        onChange={(store) => change({ store })}
        options={stores.map((one) => ({ value: one.merchant_id, label: one.name }))}
      />
      <div className="grid g-2">
        <Field
          label={t('replay.from')}
          type="datetime-local"
          value={choice.from}
          onChange={(event) => change({ from: event.target.value })}
        />
        <Field
          label={t('replay.to')}
          type="datetime-local"
          value={choice.to}
          onChange={(event) => change({ to: event.target.value })}
          fault={tried && !isFit ? t('replay.order') : undefined}
        />
      </div>
      {counted && <CountedNote counted={counted} />}
      <Failure cause={count.failure ?? send.failure} />
    </Dialog>
  );
}
