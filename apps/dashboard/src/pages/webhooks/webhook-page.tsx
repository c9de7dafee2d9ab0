import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { may } from '../../api/permission.ts';
import { queryClient, storesQuery } from '../../api/queries.ts';
import type { WebhookEvent } from '../../api/webhook-queries.ts';
import { eventQuery } from '../../api/webhook-queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { useAccount } from '../../frame/membership.ts';
import { TestFrame } from '../../frame/test-frame.tsx';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { CodeText } from '../../parts/code-text.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { InvoiceLink } from '../../parts/invoice-link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Proof } from '../../parts/timeline.tsx';
import { DeliveryTries } from './delivery-tries.tsx';
import { JsonBody } from './json-body.tsx';

function Sent({ event }: { event: WebhookEvent }): ReactNode {
  const t = useWords();
  const headers = Object.entries(event.headers).map(([name, value]) => `${name}: ${String(value)}`);
  return (
    <div className="stack">
      <div className="row between">
        <h2>{t('event.body')}</h2>
        {event.body !== null && <CopyButton text={event.body}>{t('copy.it')}</CopyButton>}
      </div>
      {event.body === null ? (
        <Note tone="info" title={t('event.erased')}>
          <p>{t('event.erasedAbout')}</p>
        </Note>
      ) : (
        <JsonBody text={event.body} label={t('event.body')} />
      )}
      <Proof icon="lock" title={t('event.headers')} open>
        <pre className="code-block code-block-wrap" dir="ltr">
          {headers.join('\n')}
        </pre>
        <p className="sumline">{t('event.headersAbout')}</p>
      </Proof>
    </div>
  );
}

/** Whether a later delivery brought the same event to the same address. */
function isLater(event: WebhookEvent, place: number): boolean {
  const one = event.deliveries[place];
  if (!one || one.state !== 'failed') return false;
  return event.deliveries.some((other) => other.state === 'delivered' && other.url === one.url);
}

function Deliveries({ event }: { event: WebhookEvent }): ReactNode {
  const t = useWords();
  return (
    <div className="stack">
      <h2>{t('event.answered')}</h2>
      {event.deliveries.map((delivery, place) => (
        <DeliveryTries key={delivery.delivery} delivery={delivery} type={event.type} later={isLater(event, place)} />
      ))}
      <div className="note">
        <Icon name="info" />
        <div>
          <p className="small">{t('event.againAbout')}</p>
        </div>
      </div>
    </div>
  );
}

/** Redelivery, if the reader may and the body is still stored. */
function useRedelivery(account: string, eventId: string) {
  const [sent, setSent] = useState(false);
  const action = useAction(async () => {
    await call('POST /accounts/{account}/events/{event}/redeliver', { path: { account, event: eventId }, body: {} });
    setSent(true);
    await queryClient.invalidateQueries(eventQuery(account, eventId));
    void queryClient.invalidateQueries({ queryKey: ['deliveries', account] });
  });
  return { ...action, sent };
}

/** One event with its body and all attempts. */
export function WebhookPage(): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const { delivery: eventId } = useParams({ from: '/signed-in/m/$account/webhooks/$delivery' });
  const query = useQuery(eventQuery(account, eventId));
  const stores = useQuery(storesQuery(account)).data?.stores;
  const { run, busy, failure, sent } = useRedelivery(account, eventId);
  const event = query.data;
  const isPending = event?.deliveries.some(({ state }) => state === 'pending') === true;
  const mayAgain = event?.body !== null && !isPending && may(role, 'delivery.use');
  const actions = event && (
    <>
      {event.invoice !== null && (
        <InvoiceLink account={account} invoice={event.invoice} className="b">
          <Icon name="invoice" />
          {t('event.seeInvoice')}
        </InvoiceLink>
      )}
      {mayAgain && (
        <Button look="main" icon="refresh" busy={busy && t('action.sending')} onClick={run}>
          {t('event.again')}
        </Button>
      )}
    </>
  );
  const isTest = stores?.find((one) => one.merchant_id === event?.store)?.mode === 'test';
  const title =
    event && event.invoice !== null
      ? t('event.for', { type: event.type, invoice: event.invoice })
      : (event?.type ?? t('hooks.event'));
  return (
    <>
      {isTest && <TestFrame />}
      <PageHead
        title={title}
        before={
          <Link className="crumb" to="/m/$account/webhooks" params={{ account }}>
            <Icon name="back" />
            {t('webhooks.title')}
          </Link>
        }
        actions={actions}
      />
      <Failure cause={failure} />
      {sent && (
        <Note tone="good" icon="send" title={t('event.sent')} live>
          <p>{t('event.sentAbout')}</p>
        </Note>
      )}
      <Loaded query={query} role={role} permission="delivery.see">
        {(loaded) => (
          <>
            <div className="row row-wrap">
              <CodeText code={loaded.event} label={t('event.copyId')} />
            </div>
            <div className="grid g-2 items-start">
              <Deliveries event={loaded} />
              <Sent event={loaded} />
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}
