import type { ReactNode } from 'react';
import type { Attempt, EventDelivery } from '../../api/webhook-queries.ts';
import { useMoments } from '../../language/moments.ts';
import { ltr } from '../../language/ltr.ts';
import { useWords } from '../../language/words.ts';
import { CodeText } from '../../parts/code-text.tsx';
import { Moment, Timeline } from '../../parts/timeline.tsx';
import { DeliveryBadge, isGood } from './delivery-state.tsx';
import { useDuration } from './durations.ts';

/** Twelve attempts over seven days; three for a test event, whose outcome a user waits for. */
const MOST_TRIES = 12;
const MOST_TEST_TRIES = 3;

const mostOf = (type: string) => (type === 'webhook.test' ? MOST_TEST_TRIES : MOST_TRIES);

function classOf(attempt: Attempt | undefined): string | undefined {
  if (!attempt) return undefined;
  return isGood(attempt.status) ? 't-good' : 't-bad';
}

function TriesBar({ delivery, type }: { delivery: EventDelivery; type: string }): ReactNode {
  const t = useWords();
  const most = Math.max(mostOf(type), delivery.attempts.length);
  const marks = Array.from({ length: most }, (_unused, place) => delivery.attempts[place]);
  return (
    <div className="stack stack-s">
      <div className="row between">
        <h3 className="strong">{t('event.tries')}</h3>
        <span className="small quiet num">{t('event.triesUsed', { used: delivery.attempts.length, most })}</span>
      </div>
      <div className="tries-l" aria-hidden="true">
        {marks.map((attempt, place) => (
          // oxlint-disable-next-line no-array-index-key -- a try is known by its place
          <i key={place} className={classOf(attempt)} />
        ))}
      </div>
    </div>
  );
}

function Try({ attempt }: { attempt: Attempt }): ReactNode {
  const t = useWords();
  const duration = useDuration();
  const { number, status, error, duration_ms: ms, excerpt, at } = attempt;
  const good = isGood(status);
  const answer = status === null ? t('answer.none') : String(status);
  return (
    <Moment icon={good ? 'check' : 'x'} tone={good ? 'good' : 'bad'} title={t('event.try', { number, answer })} at={at}>
      <p className="small num">
        {duration(ms)}
        {error !== null && (
          <>
            {' · '}
            <bdi dir="ltr">{error}</bdi>
          </>
        )}
      </p>
      {excerpt !== null && excerpt !== '' && (
        <pre className="code-block code-block-wrap" dir="ltr">
          {excerpt}
        </pre>
      )}
      {status !== null && (excerpt === null || excerpt === '') && <p className="small">{t('event.noBody')}</p>}
    </Moment>
  );
}

type DeliveryTriesProps = { delivery: EventDelivery; type: string; later: boolean; again?: ReactNode };

/** One delivery: receiver, state, and each attempt with its answer. */
export function DeliveryTries({ delivery, type, later, again }: DeliveryTriesProps): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { attempts, state, url, endpoint, next_attempt_at: next, by_hand: byHand, created_at: made } = delivery;
  const time = moments.within(made);
  return (
    <section className="card card-pad stack" aria-label={url}>
      <div className="stack stack-s">
        <div className="row row-wrap between">
          <span className="strong">{byHand ? t('event.byHand', { time }) : t('event.first', { time })}</span>
          <DeliveryBadge state={state} attempts={attempts.length} later={later} />
        </div>
        <span className="url-line">
          <CodeText code={url} label={t('event.copyUrl')} />
        </span>
        <span className="small quiet">
          {endpoint === null ? t('endpoint.callback') : t('endpoint.of', { code: ltr(endpoint) })}
        </span>
      </div>
      <TriesBar delivery={delivery} type={type} />
      {attempts.length === 0 ? (
        <p className="quiet" role="status">
          {t('event.noTry')}
        </p>
      ) : (
        <Timeline>
          {attempts.map((attempt) => (
            <Try key={attempt.number} attempt={attempt} />
          ))}
        </Timeline>
      )}
      {again}
      {next !== null && attempts.length > 0 && (
        <p className="warn small num">{t('event.next', { time: moments.long(next) })}</p>
      )}
    </section>
  );
}
