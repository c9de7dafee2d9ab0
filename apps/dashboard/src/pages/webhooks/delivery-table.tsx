import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Store } from '../../api/queries.ts';
import type { Delivery } from '../../api/webhook-queries.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Cell, Row, Table } from '../../parts/table.tsx';
import { DeliveryBadge, isGood } from './delivery-state.tsx';
import { useDuration } from './durations.ts';

/** Most attempts shown; more are only counted. */
const MAX_DRAWN = 12;

function Tries({ delivery }: { delivery: Delivery }): ReactNode {
  const t = useWords();
  const { attempts, state } = delivery;
  const drawn = Math.min(attempts, MAX_DRAWN);
  const marks = Array.from({ length: drawn }, (_unused, place) => place === drawn - 1 && state === 'delivered');
  return (
    <span className="tries">
      {marks.map((good, place) => (
        // oxlint-disable-next-line no-array-index-key -- marks have nothing but their place
        <i key={place} className={good ? 't-good' : 't-bad'} />
      ))}
      <span className="quiet num ms-1" aria-hidden="true">
        {attempts}
      </span>
      <span className="vh">{t('hooks.triesText', { count: attempts })}</span>
    </span>
  );
}

function LastAnswer({ delivery }: { delivery: Delivery }): ReactNode {
  const t = useWords();
  const duration = useDuration();
  const { last_attempt: last } = delivery;
  if (!last) return <span className="quiet">{t('answer.untried')}</span>;
  return (
    <span className="nowrap num">
      <strong className={`strong ${isGood(last.status) ? 'good' : 'bad'}`}>{last.status ?? t('answer.none')}</strong>{' '}
      <span className="quiet">{t('answer.in', { time: duration(last.duration_ms) })}</span>
    </span>
  );
}

function When({ delivery }: { delivery: Delivery }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { next_attempt_at: next, attempts, created_at: made } = delivery;
  if (next !== null && attempts > 0)
    return <span className="warn num nowrap">{t('hooks.next', { time: moments.within(next) })}</span>;
  return <span className="quiet num nowrap">{moments.short(made)}</span>;
}

/** Without scheme: what distinguishes receivers comes first. */
export const shortUrl = (url: string): string => url.replace(/^https?:\/\//, '');

function DeliveryRow({
  account,
  delivery,
  store,
  isLater,
}: {
  account: string;
  delivery: Delivery;
  store: Store | undefined;
  isLater: boolean;
}): ReactNode {
  const t = useWords();
  const { event, type, state, attempts, url } = delivery;
  return (
    <Row link>
      <Cell place="first">
        <Link
          className="row-link strong mono"
          to="/m/$account/webhooks/$delivery"
          params={{ account, delivery: event }}
        >
          <bdi dir="ltr">{type}</bdi>
        </Link>
      </Cell>
      <Cell place="second">
        <DeliveryBadge state={state} attempts={attempts} later={isLater} />
      </Cell>
      <Cell place="wide">
        <span className="two">
          <bdi dir="ltr" className="clip max-w-72" title={url}>
            {shortUrl(url)}
          </bdi>
          <span className="t2 row gap-1.5">
            <span className="clip max-w-56" dir="auto">
              {store?.name ?? delivery.store}
            </span>
            {delivery.endpoint !== null && <span className="badge badge-line">{t('endpoint.one')}</span>}
            {store?.mode === 'test' && <span className="badge badge-test">{t('mode.test')}</span>}
          </span>
        </span>
      </Cell>
      <Cell place="hide">
        <Tries delivery={delivery} />
      </Cell>
      <Cell place="third">
        <LastAnswer delivery={delivery} />
      </Cell>
      <Cell place="fourth" end>
        <When delivery={delivery} />
      </Cell>
    </Row>
  );
}

type DeliveryTableProps = {
  account: string;
  deliveries: readonly Delivery[];
  stores: readonly Store[];
  pager: ReactNode;
};

export function DeliveryTable({ account, deliveries, stores, pager }: DeliveryTableProps): ReactNode {
  const t = useWords();
  const columns = ['hooks.event', 'hooks.state', 'hooks.address', 'hooks.tries', 'hooks.answer'] as const;
  const reached = new Set(
    deliveries.filter(({ state }) => state === 'delivered').map((one) => `${one.event} ${one.endpoint ?? one.url}`),
  );
  return (
    <div className="card">
      <Table
        label={t('hooks.deliveries')}
        columns={[...columns.map((key) => ({ title: t(key) })), { title: t('hooks.sent'), end: true }]}
      >
        {deliveries.map((delivery) => (
          <DeliveryRow
            key={delivery.delivery}
            account={account}
            delivery={delivery}
            store={stores.find((one) => one.merchant_id === delivery.store)}
            isLater={reached.has(`${delivery.event} ${delivery.endpoint ?? delivery.url}`)}
          />
        ))}
      </Table>
      {pager}
    </div>
  );
}
