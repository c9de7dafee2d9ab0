import type { Role } from '@counterfoil/core/permission.ts';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import { call } from '../../api/call.ts';
import { networkOf } from '../../api/networks.ts';
import { may, rolesWith } from '../../api/permission.ts';
import { queryClient } from '../../api/queries.ts';
import type { Arrival, UnmatchedSearch } from '../../api/unmatched-queries.ts';
import { arrivalQuery } from '../../api/unmatched-queries.ts';
import { Failure } from '../../forms/failure.tsx';
import { useAction } from '../../forms/use-action.ts';
import { useMoments } from '../../language/moments.ts';
import { useMoney } from '../../language/money.ts';
import type { WordKey } from '../../language/words.ts';
import { useWords } from '../../language/words.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ShortAddress } from '../../parts/code-text.tsx';
import { Icon } from '../../parts/icon.tsx';
import { LoadFailure } from '../../parts/loaded.tsx';
import { Note } from '../../parts/note.tsx';
import { PayMark } from '../../parts/pay-mark.tsx';
import { AttachDialog } from './attach-dialog.tsx';
import { ArrivalReason } from './arrival-reason.tsx';
import { reasonOf } from './arrival-words.ts';
import { AttachmentNote } from './attachment-note.tsx';
import { ClaimNote } from './claim-note.tsx';
import { NotOursDialog } from './not-ours-dialog.tsx';
import { OtherInvoiceDialog } from './other-invoice-dialog.tsx';
import { SuggestionList } from './suggestion-list.tsx';
import type { Attaching } from './use-attach.ts';
import { useAttach } from './use-attach.ts';

function Head({ arrival, id }: { arrival: Arrival; id: string }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const money = useMoney();
  const { network, amount, token, at } = arrival;
  return (
    <div className="row row-wrap between items-start">
      <div className="row gap-3.5">
        <PayMark token={token} network={network} />
        <div>
          <h2 id={id} className="num">
            {t('unmatched.on', {
              amount: `\u2066${amount === null ? token : money.token(amount, token)}\u2069`,
              network: networkOf(network).name,
            })}
          </h2>
          <p className="small quiet">{moments.long(at)}</p>
        </div>
      </div>
      <Badge tone="warn" icon="warn">
        {t(`badge.${reasonOf(arrival)}`)}
      </Badge>
    </div>
  );
}

function Facts({ arrival }: { arrival: Arrival }): ReactNode {
  const t = useWords();
  const rows = [
    ['unmatched.transaction', arrival.transaction, 'unmatched.copyTransaction'],
    ['unmatched.from', arrival.from, 'unmatched.copyFrom'],
    ['unmatched.to', arrival.to, 'unmatched.copyTo'],
  ] as const;
  return (
    <dl className="dl">
      {rows.map(([title, code, label]) => (
        <div key={title}>
          <dt>{t(title)}</dt>
          <dd>
            <ShortAddress address={code} label={t(label)} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function AsideNote({ account, arrival, role }: { account: string; arrival: Arrival; role: Role }): ReactNode {
  const t = useWords();
  const { run, busy, failure } = useAction(async () => {
    const path = { account, transfer: arrival.transfer };
    await call('POST /accounts/{account}/unmatched/{transfer}/restore', { path, body: {} });
    await queryClient.invalidateQueries({ queryKey: ['unmatched', account] });
  });
  const restore = may(role, 'transfer.attach') && (
    <Button busy={busy && t('action.saving')} onClick={run}>
      {t('unmatched.restore')}
    </Button>
  );
  return (
    <>
      <Note tone="info" icon="dash" title={t('unmatched.asideNote')} actions={restore}>
        <p dir="auto" className="wrap-anywhere">
          {arrival.note}
        </p>
      </Note>
      <Failure cause={failure} />
    </>
  );
}

type DecisionProps = { account: string; arrival: Arrival; role: Role; attaching: Attaching; onAside: () => void };

/** Decisions about an undecided payment. */
function Decision({ account, arrival, role, attaching, onAside }: DecisionProps): ReactNode {
  const t = useWords();
  const [open, setOpen] = useState<'other' | 'aside'>();
  const [chosen, setChosen] = useState<string>();
  const mayAttach = may(role, 'transfer.attach');
  const close = () => setOpen(undefined);
  const roles = rolesWith('transfer.attach').map((one) => t(`roles.${one}` as WordKey));
  return (
    <div className="stack stack-s">
      <ClaimNote account={account} arrival={arrival} onAttach={mayAttach ? setChosen : undefined} />
      <h3>{t('unmatched.likely')}</h3>
      <SuggestionList
        account={account}
        arrival={arrival}
        choosing={mayAttach ? { ...attaching, attach: setChosen } : undefined}
      />
      {mayAttach ? (
        <div className="row row-wrap">
          <Button small icon="search" onClick={() => setOpen('other')}>
            {t('unmatched.find')}
          </Button>
          <Button small look="quiet" onClick={() => setOpen('aside')}>
            {t('unmatched.dismiss')}
          </Button>
        </div>
      ) : (
        <p className="small quiet">
          {t('unmatched.askFinance', { roles: new Intl.ListFormat(document.documentElement.lang).format(roles) })}
        </p>
      )}
      {open === 'other' && (
        <OtherInvoiceDialog
          account={account}
          arrival={arrival}
          onClose={close}
          onAttach={(invoice) => {
            close();
            setChosen(invoice);
          }}
        />
      )}
      {chosen !== undefined && (
        <AttachDialog
          account={account}
          arrival={arrival}
          invoice={chosen}
          onClose={() => setChosen(undefined)}
          onAttach={(invoice) => {
            setChosen(undefined);
            attaching.attach(invoice);
          }}
        />
      )}
      {open === 'aside' && <NotOursDialog account={account} arrival={arrival} onClose={close} onDone={onAside} />}
    </div>
  );
}

type ArrivalDetailsProps = { account: string; arrival: Arrival; role: Role; search: UnmatchedSearch };

function ArrivalDetails({ account, arrival, role, search }: ArrivalDetailsProps): ReactNode {
  const t = useWords();
  const id = useId();
  const navigate = useNavigate();
  const attaching = useAttach(account, arrival.transfer);
  const { attachment, failure } = attaching;
  // The URL now selects the transfer, so that its outcome stays when it leaves the list.
  const pinned: Attaching = {
    ...attaching,
    attach: (invoice) => {
      const { transfer } = arrival;
      void navigate({ to: '/m/$account/unmatched/$transfer', params: { account, transfer }, search, replace: true });
      attaching.attach(invoice);
    },
  };
  const isOver = attachment?.state === 'asked' || attachment?.state === 'done';
  const isAsked = !attachment && arrival.asked_for !== null;
  return (
    <section className="inbox-item" aria-labelledby={id}>
      <Link className="crumb phone" to="/m/$account/unmatched" params={{ account }} search={search}>
        <Icon name="back" />
        {t('unmatched.title')}
      </Link>
      <Head arrival={arrival} id={id} />
      {attachment && <AttachmentNote account={account} attachment={attachment} search={search} />}
      {isAsked && (
        <Note tone="info" icon="half" title={t('unmatched.waiting')}>
          <p>{t('unmatched.alreadyAsked', { invoice: arrival.asked_for ?? '' })}</p>
        </Note>
      )}
      <Failure cause={failure} />
      {arrival.note !== null && <AsideNote account={account} arrival={arrival} role={role} />}
      <ArrivalReason arrival={arrival} />
      {arrival.note === null && !isOver && !isAsked && (
        <Decision
          account={account}
          arrival={arrival}
          role={role}
          attaching={pinned}
          onAside={() => void navigate({ to: '/m/$account/unmatched', params: { account }, search })}
        />
      )}
      <Facts arrival={arrival} />
    </section>
  );
}

function Gone({ account, search }: { account: string; search: UnmatchedSearch }): ReactNode {
  const t = useWords();
  return (
    <section className="inbox-item">
      <div className="empty">
        <span className="pic">
          <Icon name="search" large />
        </span>
        <h2>{t('unmatched.goneTitle')}</h2>
        <p>{t('unmatched.goneAbout')}</p>
        <div className="acts">
          <Link className="b" to="/m/$account/unmatched" params={{ account }} search={search}>
            {t('unmatched.title')}
          </Link>
        </div>
      </div>
    </section>
  );
}

type ArrivalPaneProps = {
  account: string;
  transfer: string;
  /** The transfer in the list; undefined on another page. */
  listed: Arrival | undefined;
  role: Role;
  search: UnmatchedSearch;
};

/** One transfer, from the list or by number. Its last state stays when it leaves the list. */
export function ArrivalPane({ account, transfer, listed, role, search }: ArrivalPaneProps): ReactNode {
  const t = useWords();
  const [seen, setSeen] = useState(listed);
  const query = useQuery({ ...arrivalQuery(account, transfer), enabled: listed === undefined });
  const fresh = listed ?? query.data ?? undefined;
  if (fresh !== undefined && fresh !== seen) setSeen(fresh);
  const arrival = fresh ?? seen;
  if (arrival) return <ArrivalDetails account={account} arrival={arrival} role={role} search={search} />;
  if (query.error !== null) return <LoadFailure cause={query.error} retry={() => void query.refetch()} />;
  if (query.data === null) return <Gone account={account} search={search} />;
  return (
    <section className="inbox-item" aria-busy="true">
      <span className="vh" role="status">
        {t('unmatched.loading')}
      </span>
      <span className="bone bone-title" />
      <span className="bone bone-line" />
    </section>
  );
}
