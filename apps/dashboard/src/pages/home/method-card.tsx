import { sumUsd } from '@counterfoil/core/usd.ts';
import type { ReactNode } from 'react';
import { useId } from 'react';
import { networkOf } from '../../api/networks.ts';
import { useFigures } from '../../language/figures.ts';
import { useWords } from '../../language/words.ts';
import { Usd } from '../../parts/amount.tsx';
import { NetworkMark } from '../../parts/network-mark.tsx';
import { PlaceLink } from '../../parts/place-link.tsx';
import type { MethodSum } from './day-sums.ts';
import { sharePermille } from './day-sums.ts';
import { momentsOf } from './span.ts';

const PERMILLE = 1_000;

type MethodCardProps = {
  methods: readonly MethodSum[];
  account: string;
  store: string | undefined;
  span: { from: string; to: string };
};

/** Payments by token and network, largest first, linked to invoices. */
export function MethodCard({ methods, account, store, span }: MethodCardProps): ReactNode {
  const t = useWords();
  const id = useId();
  const { count, percent } = useFigures();
  const whole = sumUsd(methods.map(({ volume }) => volume));
  if (methods.length === 0) return null;
  return (
    <section className="card" aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{t('home.byMethod')}</h2>
      </div>
      <ul className="rows method-rows">
        {methods.map(({ network, token, volume, completed }) => {
          const { name } = networkOf(network);
          const share = sharePermille(volume, whole);
          return (
            <li key={`${network} ${token}`}>
              <NetworkMark id={network} />
              <span className="two">
                <PlaceLink
                  className="strong text-ink wrap-anywhere"
                  path={`/m/${account}/invoices`}
                  search={{ status: 'completed', network, token, store, ...momentsOf(span.from, span.to) }}
                >
                  {t('home.tokenOn', { token, network: name })}
                </PlaceLink>
                <span className="t2 small quiet">
                  {t('home.payments', { count: completed, number: count(completed) })} · <bdi>{percent(share)}</bdi>
                </span>
              </span>
              <span className="meter method-share" aria-hidden="true">
                <progress value={share} max={PERMILLE} />
              </span>
              <span className="strong end">
                <Usd amount={volume} />
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
