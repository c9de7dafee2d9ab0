import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { InvoiceHistory } from '../../api/invoice-queries.ts';
import { networkOf } from '../../api/networks.ts';
import { useAccount } from '../../frame/membership.ts';
import { useMoments } from '../../language/moments.ts';
import { useMoney } from '../../language/money.ts';
import type { WordKey } from '../../language/words.ts';
import { useWords } from '../../language/words.ts';
import { TokenAmount } from '../../parts/amount.tsx';
import { Moment } from '../../parts/timeline.tsx';
import { usePersonNames } from '../person-names.ts';
import { LooksProof } from './looks-proof.tsx';
import { MarkedAmount, PriceProof } from './price-proof.tsx';
import type { Chapter, Transfer } from './story.ts';

type Of<Kind extends Chapter['kind']> = Extract<Chapter, { kind: Kind }>;
type Told<Kind extends Chapter['kind']> = { chapter: Of<Kind>; history: InvoiceHistory; brief: boolean };

const MINUTE = 60;
const CUT = 6;

/** Addresses in sentences are cut in the middle; the summary has them whole. */
const cut = (text: string): string =>
  text.length <= 2 * CUT + 2 ? text : `${text.slice(0, CUT)}…${text.slice(-CUT + 2)}`;

export function Created({ chapter: { at, fee, by }, history: { invoice, audit }, brief }: Told<'created'>): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { usd } = useMoney();
  const nameOf = usePersonNames();
  const minutes = Math.round((invoice.expires_at - invoice.created_at) / MINUTE);
  const who = by === undefined ? t('story.byServer') : t('story.byPerson', { person: nameOf(by) });
  return (
    <Moment icon="plus" at={at} title={t('story.created')}>
      {!brief && (
        <p>
          {t('story.createdFor', { amount: usd(invoice.amount) })} {audit !== null && who}{' '}
          {t('story.open', { minutes, time: moments.clock(invoice.expires_at) })}{' '}
          {fee !== undefined && t('story.setAside', { amount: usd(fee) })}
        </p>
      )}
    </Moment>
  );
}

export function Quoted({ chapter: { at, quote }, history: { invoice }, brief }: Told<'quoted'>): ReactNode {
  const t = useWords();
  const network = networkOf(quote.network).name;
  return (
    <Moment icon="price" at={at} title={t('story.chose', { token: quote.token, network })}>
      {!brief && (
        <>
          <p>
            {t('story.exact')} <MarkedAmount amount={invoice.amount} quote={quote} /> <bdi dir="ltr">{quote.token}</bdi>
            . {t('story.marked')}
          </p>
          <PriceProof amount={invoice.amount} quote={quote} open={invoice.status === 'completed' && quote.shown} />
        </>
      )}
    </Moment>
  );
}

export function Named({ chapter: { at, kind, named } }: Told<'named' | 'named_read'>): ReactNode {
  const t = useWords();
  const known = new Set<string>(['found', 'known', 'nothing', 'failed', 'out-of-window', 'unanswered']);
  const outcome = named.outcome ?? '';
  const word: WordKey = known.has(outcome) ? (`named.${outcome}` as WordKey) : 'named.unsure';
  return (
    <Moment icon="search" at={at} title={t(kind === 'named' ? (`named.by.${named.named_by}` as WordKey) : word)}>
      <p>
        {networkOf(named.network).name},{' '}
        <bdi dir="ltr" className="mono">
          {cut(named.transaction)}
        </bdi>
      </p>
    </Moment>
  );
}

const REASONS = new Set(['short', 'over', 'wrong_token', 'late', 'cancelled', 'already_paid', 'unknown', 'named']);

/** Why a transfer pays nothing. */
export function useReason(): (transfer: Transfer) => string {
  const t = useWords();
  return ({ reason }) => t(`reason.${reason !== null && REASONS.has(reason) ? reason : 'unknown'}` as WordKey);
}

export function Seen({ chapter: { at, transfer }, history, brief }: Told<'seen'>): ReactNode {
  const t = useWords();
  const { account } = useAccount();
  const reasonOf = useReason();
  const stray = !transfer.pays && transfer.reason !== null;
  const seconds = Math.max(0, at - transfer.block_time);
  const { token_amount: amount, token, from_address: from, attached_by: attached } = transfer;
  return (
    <Moment
      icon={stray ? 'inbox' : 'eye'}
      tone={stray ? 'warn' : 'info'}
      at={at}
      title={stray ? t('story.seenStray') : t('story.seen')}
    >
      {!brief && (
        <p>
          {amount === null ? token : <TokenAmount amount={amount} token={token} />} {t('story.from')}{' '}
          <bdi dir="ltr" className="mono">
            {cut(from)}
          </bdi>
          {seconds < MINUTE
            ? t('story.afterBlock', { seconds })
            : t('story.afterBlockMinutes', { minutes: Math.round(seconds / MINUTE) })}{' '}
          {stray && attached === null && reasonOf(transfer)}{' '}
          {stray && history.invoice.mode === 'live' && (
            <Link to="/m/$account/unmatched/$transfer" params={{ account, transfer: transfer.transfer }}>
              {t('story.openTransfer')}
            </Link>
          )}
        </p>
      )}
      {!brief && stray && <LooksProof transfer={transfer} open={false} />}
    </Moment>
  );
}

export function Proven({ chapter: { at, transfer }, history, brief }: Told<'proven'>): ReactNode {
  const t = useWords();
  if (!transfer.pays) return null;
  return (
    <Moment icon="block" tone="info" at={at} title={t('story.final')}>
      {!brief && <LooksProof transfer={transfer} open={history.invoice.status === 'completed'} />}
    </Moment>
  );
}

export function Missing({ chapter: { at, transfer } }: Told<'missing'>): ReactNode {
  const t = useWords();
  return (
    <Moment icon="warn" tone="bad" at={at} title={t('story.missing')}>
      <p>
        {t('story.missingAbout')}{' '}
        <bdi dir="ltr" className="mono">
          {cut(transfer.transaction)}
        </bdi>
      </p>
    </Moment>
  );
}

/** Why a payment completed the invoice. */
function aboutOf(late: boolean, cancelled: boolean): WordKey {
  if (!late) return 'story.completedAbout';
  return cancelled ? 'story.completedAfterCancel' : 'story.completedLateAbout';
}

export function Completed({ chapter: { at, late, transfer }, history, brief }: Told<'completed'>): ReactNode {
  const cancelled = history.invoice.cancelled_at !== null;
  const t = useWords();
  const nameOf = usePersonNames();
  const by = transfer?.attached_by ?? transfer?.accepted_by ?? undefined;
  const about = by !== undefined ? t('story.attachedBy', { person: nameOf(by) }) : t(aboutOf(late, cancelled));
  const moments = useMoments();
  return (
    <Moment icon="check" tone="solid" at={at} title={t(late ? 'status.late' : 'status.completed')}>
      {!brief && (
        <p>
          {about} {late && !cancelled && t('story.ended', { time: moments.clock(history.invoice.expires_at) })}
        </p>
      )}
    </Moment>
  );
}

export function Ended({ chapter: { at, kind }, history: { invoice }, brief }: Told<'time_up' | 'expired'>): ReactNode {
  const t = useWords();
  const { waits_for: gate } = invoice;
  if (kind === 'expired') return <Moment icon="dash" at={at} title={t('status.expired')} />;
  return (
    <Moment icon="clock" at={at} title={t('story.timeUp')}>
      {!brief && gate && <p>{t('story.waitsFor', { network: networkOf(gate.network).name })}</p>}
    </Moment>
  );
}

/** Who did something: a person, or the store's server. */
function useActorName(): (actor: string) => string {
  const t = useWords();
  const nameOf = usePersonNames();
  return (actor) => {
    if (actor === 'store') return t('story.key');
    return actor === 'worker' ? t('story.worker') : nameOf(actor);
  };
}

export function Cancelled({ chapter: { at, by }, brief }: Told<'cancelled'>): ReactNode {
  const t = useWords();
  const nameOf = useActorName();
  return (
    <Moment icon="x" at={at} title={t('status.cancelled')}>
      {!brief && by !== '' && <p>{t('story.cancelledBy', { person: nameOf(by) })}</p>}
    </Moment>
  );
}

const FEE_WORDS = { hold: 'story.feeHeld', capture: 'story.feeTaken', release: 'story.feeBack' } as const;

export function Fee({ chapter: { at, what, amount } }: Told<'fee'>): ReactNode {
  const t = useWords();
  const { usd } = useMoney();
  return <Moment icon="fee" at={at} title={t(FEE_WORDS[what], { amount: usd(amount) })} />;
}

const HTTP_OK = 200;
const HTTP_REDIRECT = 300;

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

export function Tried({ chapter, brief }: Told<'tried'>): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { account } = useAccount();
  const { at, type, event, delivery, attempt, isLast } = chapter;
  const { status } = attempt;
  const isGood = status !== null && status >= HTTP_OK && status < HTTP_REDIRECT;
  const answer = status === null ? (attempt.error ?? t('hook.noAnswer')) : String(status);
  const title = isGood ? t('hook.delivered') : t('hook.failed');
  const place: string = `/m/${account}/webhooks/${event}`;
  const next = isLast && delivery.next_attempt_at !== null ? moments.clock(delivery.next_attempt_at) : undefined;
  return (
    <Moment icon="hook" tone={isGood ? 'good' : 'bad'} at={at} title={brief ? `${title}, ${answer}` : title}>
      {!brief && (
        <p>
          <bdi dir="ltr">
            <code>{type}</code>
          </bdi>
          {': '}
          {t('hook.answered', {
            host: hostOf(delivery.url),
            answer,
            ms: attempt.duration_ms,
            number: attempt.number,
          })}{' '}
          {!isGood && next !== undefined && t('hook.next', { time: next })} <Link to={place}>{t('hook.see')}</Link>
        </p>
      )}
    </Moment>
  );
}

export function Event({ chapter: { at, type }, brief }: Told<'told'>): ReactNode {
  const t = useWords();
  return (
    <Moment icon="hook" at={at} title={t('hook.made')}>
      {!brief && (
        <p>
          <bdi dir="ltr">
            <code>{type}</code>
          </bdi>
        </p>
      )}
    </Moment>
  );
}

export function Audited({ chapter: { at, action, actor } }: Told<'audited'>): ReactNode {
  const t = useWords();
  const nameOf = useActorName();
  return (
    <Moment icon="audit" at={at} title={t('story.audited', { person: nameOf(actor) })}>
      <p>
        <bdi dir="ltr">
          <code>{action}</code>
        </bdi>
      </p>
    </Moment>
  );
}
