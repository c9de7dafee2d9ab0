import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { homeQuery } from '../../api/home-queries.ts';
import { queryClient } from '../../api/queries.ts';
import { testEventQuery } from '../../api/start-queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { formOf, textField } from '../../forms/schemas.ts';
import { useApiForm } from '../../forms/use-api-form.ts';
import { useFigures } from '../../language/figures.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { CodeText } from '../../parts/code-text.tsx';
import { Field } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { Section } from '../../parts/section.tsx';

const schema = formOf({ url: textField });

/** The test event's outcome, once the receiver has answered. */
function Outcome({ account, event }: { account: string; event: string }): ReactNode {
  const t = useWords();
  const { duration } = useFigures();
  const { data, error } = useQuery(testEventQuery(account, event));
  if (error !== null) return <Failure cause={error} />;
  const [delivery] = data?.deliveries ?? [];
  const last = delivery?.attempts.at(-1);
  if (!delivery || !last) {
    return (
      <p className="small quiet" role="status">
        {t('start.eventWaits')}
      </p>
    );
  }
  const isTaken = delivery.state === 'delivered';
  const said = last.status === null ? t('start.eventSilent') : t('start.eventAnswered', { status: last.status });
  return (
    <Note tone={isTaken ? 'good' : 'bad'} title={isTaken ? t('start.eventTaken') : t('start.eventRefused')} live>
      <p>
        {said} · <bdi dir="ltr">{duration(last.duration_ms)}</bdi>
      </p>
      {!isTaken && <p>{t('start.eventAgain')}</p>}
      <p className="pt-2">
        <CodeText code={event} label={t('start.copyEvent')} />
      </p>
    </Note>
  );
}

/** Sends a signed test event and shows the answer. */
export function WebhookCard({ account, store }: { account: string; store: string }): ReactNode {
  const t = useWords();
  const [event, setEvent] = useState<string>();
  const { field, submit, isSubmitting, failure } = useApiForm({
    schema,
    defaults: { url: '' },
    send: async (body) => {
      setEvent(undefined);
      const asked = { path: { account, store }, body };
      setEvent((await call('POST /accounts/{account}/stores/{store}/webhook-test', asked)).event);
      await queryClient.invalidateQueries(homeQuery(account, 'live'));
    },
  });
  return (
    <Section title={t('start.webhook')} about={t('start.webhookAbout')}>
      <form className="stack stack-s px-5 pb-5" noValidate onSubmit={submit}>
        <Field
          label={t('start.url')}
          hint={t('start.urlHint')}
          type="url"
          inputMode="url"
          autoComplete="off"
          placeholder="https://shop.example/webhooks"
          code
          {...field('url')}
        />
        <div className="row">
          <Button type="submit" icon="send" busy={isSubmitting && t('action.sending')}>
            {t('start.sendEvent')}
          </Button>
        </div>
        <Failure cause={failure} />
        {event !== undefined && <Outcome account={account} event={event} />}
      </form>
    </Section>
  );
}
