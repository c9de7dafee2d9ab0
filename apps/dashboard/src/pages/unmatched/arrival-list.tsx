import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { networkOf } from '../../api/networks.ts';
import type { Arrival, UnmatchedSearch } from '../../api/unmatched-queries.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { TokenAmount } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { KeptCodes } from '../../parts/code-text.tsx';
import { PayMark } from '../../parts/pay-mark.tsx';
import { useReasonLine } from './arrival-words.ts';

/** The state of a transfer: pending request, one clear suggestion, several or none. */
function Outlook({ arrival }: { arrival: Arrival }): ReactNode {
  const t = useWords();
  const { suggestions, claims, asked_for: askedFor, note } = arrival;
  if (note !== null) {
    return (
      <Badge tone="quiet" icon="dash">
        {t('unmatched.aside')}
      </Badge>
    );
  }
  if (askedFor !== null) {
    return (
      <Badge tone="info" icon="half">
        {t('unmatched.waiting')}
      </Badge>
    );
  }
  if (claims.length > 0) {
    return (
      <Badge tone="info" icon="inbox">
        {t('claim.badge', { count: claims.length })}
      </Badge>
    );
  }
  if (suggestions.length === 0) {
    return (
      <Badge tone="quiet" icon="dash">
        {t('unmatched.noSuggestion')}
      </Badge>
    );
  }
  const isClear = suggestions.length === 1;
  return (
    <Badge tone={isClear ? 'good' : 'info'} icon={isClear ? 'check' : 'info'}>
      {isClear ? t('unmatched.one') : t('unmatched.suggestions', { count: suggestions.length })}
    </Badge>
  );
}

type ArrivalListProps = {
  account: string;
  arrivals: readonly Arrival[];
  selected: string | undefined;
  search: UnmatchedSearch;
};

export function ArrivalList({ account, arrivals, selected, search }: ArrivalListProps): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const reasonLine = useReasonLine();
  return (
    <ul className="inbox-list" aria-label={t('unmatched.list')}>
      {arrivals.map((arrival) => {
        const { transfer, network, amount, token, at } = arrival;
        return (
          <li key={transfer}>
            <Link
              to="/m/$account/unmatched/$transfer"
              params={{ account, transfer }}
              search={search}
              {...(transfer === selected && { 'aria-current': true })}
            >
              <PayMark token={token} network={network} />
              <span className="two">
                <strong className="strong clip" dir="ltr">
                  {amount === null ? token : <TokenAmount amount={amount} token={token} />}
                </strong>
                <span className="small quiet">
                  <KeptCodes text={reasonLine(arrival)} />
                </span>
                <span className="pt-1">
                  <Outlook arrival={arrival} />
                </span>
              </span>
              <span className="two justify-items-end">
                <span className="small quiet num nowrap">{moments.short(at)}</span>
                <span className="small quiet">{networkOf(network).name}</span>
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
