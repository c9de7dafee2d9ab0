import { trimZeros } from '@counterfoil/core/amount.ts';
import { SECOND_MS } from '@counterfoil/core/duration.ts';
import type { ReactNode } from 'react';
import { decimalsOf, divide, percentOf, splitAtDifference, subtract } from '../../language/decimals.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { Proof } from '../../parts/timeline.tsx';
import type { Quote } from './story.ts';

type Source = { source: string; usd: string; at: string };

const PRICE_DECIMALS = 4;
const SHOWN_DECIMALS = 6;

/** The quote without its distinguishing digits. */
function baseOf(amount: string, { token_amount: quoted, token_price: price }: Quote): string | undefined {
  return divide(amount, price, Math.max(SHOWN_DECIMALS, decimalsOf(quoted)));
}

const isSource = (value: unknown): value is Source =>
  typeof value === 'object' && value !== null && 'source' in value && 'usd' in value && 'at' in value;

const sourcesOf = ({ price_sources: sources }: Quote): Source[] =>
  Array.isArray(sources) ? sources.filter(isSource) : [];

/** The exact amount, with the digits marked that only this invoice has. */
export function MarkedAmount({
  amount,
  quote,
  arrived,
}: {
  amount: string;
  quote: Quote;
  arrived?: string;
}): ReactNode {
  const { decimal } = useMoney();
  const base = baseOf(amount, quote);
  const { same, different } = splitAtDifference(quote.token_amount, base ?? quote.token_amount);
  const text = arrived ?? quote.token_amount;
  // Only decimals are marked, so the integer part can be grouped.
  const ending = different !== '' && text.endsWith(different) ? different : '';
  const head = text.slice(0, text.length - ending.length);
  const written = head.endsWith('.')
    ? `${decimal(head.slice(0, -1))}${decimal('0.1').slice(1, -1)}`
    : decimal(head, decimalsOf(head));
  return (
    <bdi dir="ltr" className="num">
      {same === '' ? decimal(text) : written}
      {same !== '' && ending !== '' && <mark>{ending}</mark>}
    </bdi>
  );
}

function SourceRow({ source, quote }: { source: Source; quote: Quote }): ReactNode {
  const t = useWords();
  const { decimal } = useMoney();
  const age = Math.max(0, Math.round(quote.created_at - new Date(source.at).getTime() / SECOND_MS));
  const price = decimal(trimZeros(source.usd), PRICE_DECIMALS);
  const off = percentOf(subtract(source.usd, quote.token_price), quote.token_price) ?? '0.00';
  const isSame = !/[1-9]/.test(off);
  const sign = off.startsWith('-') ? '−' : '+';
  return (
    <tr>
      <td>{source.source.slice(0, 1).toUpperCase() + source.source.slice(1)}</td>
      <td className="end num strong">
        <bdi dir="ltr">{`$${price}`}</bdi>
      </td>
      <td className="end num">{t('price.seconds', { age })}</td>
      <td className="end num ph-hide">
        {isSame ? t('price.same') : <bdi dir="ltr">{`${sign}${decimal(off.replace('-', ''), 2)} %`}</bdi>}
      </td>
    </tr>
  );
}

function Sum({ amount, quote }: { amount: string; quote: Quote }): ReactNode {
  const t = useWords();
  const { decimal, token } = useMoney();
  const base = baseOf(amount, quote);
  if (base === undefined) return null;
  const salt = subtract(quote.token_amount, base);
  return (
    <p className="sumline">
      <bdi dir="ltr" className="num">
        {decimal(amount)} ÷ {decimal(trimZeros(quote.token_price), PRICE_DECIMALS)} = {decimal(base, SHOWN_DECIMALS)}
      </bdi>
      {!salt.startsWith('-') && /[1-9]/.test(salt) && (
        <>
          {' '}
          {t('price.plus')} <bdi dir="ltr">{decimal(trimZeros(salt))}</bdi> {t('price.apart')}{' '}
          <bdi dir="ltr" className="strong num">
            = {token(quote.token_amount, quote.token)}
          </bdi>
        </>
      )}
    </p>
  );
}

/** How a quote's price was found: sources, ages and calculation. */
export function PriceProof({ amount, quote, open }: { amount: string; quote: Quote; open: boolean }): ReactNode {
  const t = useWords();
  const sources = sourcesOf(quote);
  return (
    <Proof icon="price" title={t('price.title')} open={open}>
      {sources.length > 0 && (
        <div className="tw">
          <table>
            <thead>
              <tr>
                <th scope="col">{t('price.source')}</th>
                <th scope="col" className="end">
                  <bdi dir="ltr">1 {quote.token}</bdi>
                </th>
                <th scope="col" className="end">
                  {t('price.age')}
                </th>
                <th scope="col" className="end ph-hide">
                  {t('price.off')}
                </th>
              </tr>
            </thead>
            <tbody>
              {sources.map((source) => (
                <SourceRow key={source.source} source={source} quote={quote} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Sum amount={amount} quote={quote} />
    </Proof>
  );
}
