import { useLingui } from '@lingui/react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Store } from '../../api/queries.ts';
import { deliveriesQuery, failingReceiversQuery } from '../../api/webhook-queries.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { shortUrl } from './delivery-table.tsx';
import { useDuration } from './durations.ts';
import type { Receiver } from './receivers.ts';
import { receiversOf } from './receivers.ts';

type OnTest = (receiver: { store: string; url: string }) => void;

function Figures({ receiver, all }: { receiver: Receiver; all: number }): ReactNode {
  const t = useWords();
  const { i18n } = useLingui();
  const duration = useDuration();
  const { count, firstPercent, medianMs } = receiver;
  if (firstPercent === null) return null;
  const share = new Intl.NumberFormat(i18n.locale, { style: 'percent', numberingSystem: 'latn' }).format(
    firstPercent / 100,
  );
  const median = medianMs === null ? '–' : duration(medianMs);
  return (
    <>
      <p className="small quiet num">{t('receiver.figures', { count, all, share, median })}</p>
      <div className={`meter ${receiver.failingSince === null ? 'meter-good' : 'meter-warn'}`}>
        <progress aria-label={t('receiver.first')} max={100} value={firstPercent} />
      </div>
    </>
  );
}

type CardProps = {
  account: string;
  receiver: Receiver;
  store: string | undefined;
  all: number;
  onTest: OnTest | undefined;
};

function ReceiverCard({ account, receiver, store: name, all, onTest }: CardProps): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { url, store, failingSince } = receiver;
  const isFailing = typeof failingSince === 'number';
  return (
    <li className={`card receiver${isFailing ? ' receiver-bad' : ''}`}>
      <div className="row between">
        <h3 className="clip" title={url}>
          <bdi dir="ltr">{shortUrl(url)}</bdi>
          {name !== undefined && (
            <span className="small quiet clip block" dir="auto">
              {name}
            </span>
          )}
        </h3>
        {failingSince !== undefined && (
          <Badge tone={isFailing ? 'bad' : 'good'} icon={isFailing ? 'warn' : 'check'}>
            {isFailing ? t('receiver.failing') : t('receiver.answers')}
          </Badge>
        )}
      </div>
      {isFailing && <p className="small quiet">{t('receiver.failingAbout', { time: moments.within(failingSince) })}</p>}
      <Figures receiver={receiver} all={all} />
      {isFailing && (
        <div className="row row-wrap pt-1">
          {onTest && (
            <Button small icon="send" onClick={() => onTest({ store, url })}>
              {t('receiver.tryNow')}
            </Button>
          )}
          <Link
            className="b b-s b-quiet"
            to="/m/$account/webhooks"
            params={{ account }}
            search={{ state: 'pending', store, url }}
          >
            {t('receiver.last')}
          </Link>
        </div>
      )}
    </li>
  );
}

/** Webhook receivers and their recent answers. */
export function ReceiverCards({
  account,
  stores,
  onTest,
}: {
  account: string;
  stores: readonly Store[];
  onTest: OnTest | undefined;
}): ReactNode {
  const t = useWords();
  const { data: newest } = useQuery(deliveriesQuery(account, {}));
  const { data: failing } = useQuery(failingReceiversQuery(account));
  if (!newest || !failing || newest.deliveries.length === 0) return null;
  const receivers = receiversOf(newest.deliveries, failing);
  return (
    <section aria-label={t('receiver.title')}>
      <h2 className="vh">{t('receiver.title')}</h2>
      <ul className={`grid ${receivers.length > 1 ? 'g-2' : ''}`}>
        {receivers.map((receiver) => (
          <ReceiverCard
            key={`${receiver.store} ${receiver.url}`}
            account={account}
            receiver={receiver}
            store={stores.length > 1 ? stores.find((one) => one.merchant_id === receiver.store)?.name : undefined}
            all={newest.deliveries.length}
            onTest={onTest}
          />
        ))}
      </ul>
    </section>
  );
}
