import { trimZeros } from '@counterfoil/core/amount.ts';
import type { ReactNode } from 'react';
import type { Arrival } from '../../api/unmatched-queries.ts';
import { percentOf, subtract, withoutSign } from '../../language/decimals.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { meantOf, reasonOf } from './arrival-words.ts';

/** Decimals from which an amount is distinguishable. */
const TELLING_DECIMALS = 3;

/** An amount with underlined distinguishing digits. */
function Digits({ decimal }: { decimal: string }): ReactNode {
  const money = useMoney();
  const text = money.decimal(decimal, 2);
  const decimals = decimal.split('.')[1]?.length ?? 0;
  const cut = text.length - decimals;
  return (
    <bdi dir="ltr">
      {decimals < TELLING_DECIMALS ? (
        text
      ) : (
        <>
          {text.slice(0, cut)}
          <mark>{text.slice(cut)}</mark>
        </>
      )}
    </bdi>
  );
}

/** Requested, received, and the difference. */
function Comparison({ arrived, difference }: { arrived: string; difference: string }): ReactNode {
  const t = useWords();
  const money = useMoney();
  const asked = trimZeros(subtract(arrived, difference));
  return (
    <dl className="vs">
      <div>
        <dt>{t('unmatched.asked')}</dt>
        <dd>
          <Digits decimal={asked} />
        </dd>
      </div>
      <div>
        <dt>{t('unmatched.arrived')}</dt>
        <dd>
          <Digits decimal={arrived} />
        </dd>
      </div>
      <div>
        <dt>{t('unmatched.difference')}</dt>
        <dd>
          <bdi dir="ltr">
            {difference.startsWith('-') ? '' : '+'}
            {money.decimal(difference, 2)}{' '}
            <span className="small quiet">
              ({money.decimal(percentOf(withoutSign(difference), asked) ?? '0', 2)} %)
            </span>
          </bdi>
        </dd>
      </div>
    </dl>
  );
}

function useExplanation({ amount, token, ...arrival }: Arrival): string {
  const t = useWords();
  const money = useMoney();
  const reason = reasonOf({ amount, token, ...arrival });
  const meant = meantOf({ amount, token, ...arrival });
  const invoice = arrival.invoice ?? meant?.invoice;
  if (reason === 'short' || reason === 'over') {
    if (amount === null || invoice === undefined || meant === undefined || meant.difference === null)
      return t(reason === 'short' ? 'unmatched.explain.shortNear' : 'unmatched.explain.overNear');
    const asked = money.token(subtract(amount, meant.difference), token);
    const difference = money.token(withoutSign(meant.difference), token);
    return t(reason === 'short' ? 'unmatched.explain.short' : 'unmatched.explain.over', { invoice, asked, difference });
  }
  if (reason === 'wrong_token') return t('unmatched.explain.wrong_token');
  if (reason === 'unknown' || invoice === undefined) return t('unmatched.explain.unknown');
  return t(`unmatched.explain.${reason}`, { invoice });
}

/** Why the payment did not match automatically. */
export function ArrivalReason({ arrival }: { arrival: Arrival }): ReactNode {
  const t = useWords();
  const text = useExplanation(arrival);
  const difference = meantOf(arrival)?.difference;
  const isCompared = typeof difference === 'string' && withoutSign(difference) !== '0';
  return (
    <>
      <div className="stack stack-s">
        <h3>{t('unmatched.because')}</h3>
        <p className="prose">{text}</p>
      </div>
      {isCompared && arrival.amount !== null && <Comparison arrived={arrival.amount} difference={difference} />}
    </>
  );
}
