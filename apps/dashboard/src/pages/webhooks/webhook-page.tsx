import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { may } from '../../api/permission.ts';
import { queryClient, storesQuery } from '../../api/queries.ts';
import type { EventDelivery, WebhookEvent } from '../../api/webhook-queries.ts';
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
  return event.deliveries.some(
    (other) => other.state === 'delivered' && other.url === one.url && other.endpoint === one.endpoint,
  );
}

type ReceiverOf = Pick<EventDelivery, 'endpoint'>;

/** The newest delivery to each receiver that can be sent to and has none pending: an endpoint, or the webhook URL. */
function newestPerReceiver({ deliveries }: WebhookEvent): EventDelivery[] {
  const ofReceiver = Map.groupBy(deliveries, ({ endpoint }) => endpoint);
  return [...ofReceiver.values()].flatMap(([newest, ...others]) =>
    newest?.can_be_sent === true && [newest, ...others].every(({ state }) => state !== 'pending') ? [newest] : [],
  );
}

type DeliveriesProps = { event: WebhookEvent; again: (receiver: ReceiverOf) => ReactNode };

function Deliveries({ event, again }: DeliveriesProps): ReactNode {
  const t = useWords();
  const newest = newestPerReceiver(event);
  return (
    <div className="stack">
      <h2>{t('event.answered')}</h2>
      {event.deliveries.map((delivery, place) => (
        <DeliveryTries
          key={delivery.delivery}
          delivery={delivery}
          type={event.type}
          later={isLater(event, place)}
          again={newest.includes(delivery) && again(delivery)}
        />
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

type AgainProps = { account: string; event: string; receiver: ReceiverOf; main: boolean; onSent: () => void };

/** Sends an event to a receiver again. */
function AgainButton({ account, event, receiver: { endpoint }, main, onSent }: AgainProps): ReactNode {
  const t = useWords();
  const { run, busy, failure } = useAction(async () => {
    const body = endpoint === null ? {} : { endpoint };
    await call('POST /accounts/{account}/events/{event}/redeliver', { path: { account, event }, body });
    onSent();
    await queryClient.invalidateQueries(eventQuery(account, event));
    void queryClient.invalidateQueries({ queryKey: ['deliveries', account] });
  });
  return (
    <>
      <Button look={main ? 'main' : 'plain'} icon="refresh" busy={busy && t('action.sending')} onClick={run}>
        {t('event.again')}
      </Button>
      <Failure cause={failure} />
    </>
  );
}

/** One event with its body and all attempts. */
export function WebhookPage(): ReactNode {
  const t = useWords();
  const { account, role } = useAccount();
  const { delivery: eventId } = useParams({ from: '/signed-in/m/$account/webhooks/$delivery' });
  const query = useQuery(eventQuery(account, eventId));
  const stores = useQuery(storesQuery(account)).data?.stores;
  const [sent, setSent] = useState(false);
  const event = query.data;
  const mayAgain = event !== undefined && event.body !== null && may(role, 'delivery.use');
  const receivers = new Set(event?.deliveries.map(({ endpoint }) => endpoint));
  const again = (receiver: ReceiverOf, main: boolean) =>
    mayAgain && <AgainButton {...{ account, event: eventId, receiver, main }} onSent={() => setSent(true)} />;
  const [only] = event && receivers.size === 1 ? newestPerReceiver(event) : [];
  const actions = event && (
    <>
      {event.invoice !== null && (
        <InvoiceLink account={account} invoice={event.invoice} className="b">
          <Icon name="invoice" />
          {t('event.seeInvoice')}
        </InvoiceLink>
      )}
      {only && again(only, true)}
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
              <Deliveries event={loaded} again={(receiver) => receivers.size > 1 && again(receiver, false)} />
              <Sent event={loaded} />
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}
