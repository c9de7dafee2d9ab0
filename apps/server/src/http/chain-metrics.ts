import type { Network } from '../networks/network.ts';
import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { NetworksContext } from '../networks/networks.ts';
import type { ChainHealth } from '../accounts/chain-health-sql.ts';
import { COUNTED_UP_TO, countAmounts, countInbox, readChainHealth } from '../accounts/chain-health-sql.ts';
import type { FollowerCounts } from '../chains/follower.ts';
import { collectTogether } from './collect-together.ts';

/** A follower of a network, whole or by accounts, as far as metrics see it. */
export type Followed = { source: { network: Network }; counts: FollowerCounts & { failures?: number } };

/** Metrics of each network's health, read when they are scraped. A network that is behind shows it here first. */
export function observeChains(
  registry: Registry,
  { database, clock, networks }: NetworksContext,
  followers: readonly Followed[],
): void {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[] = ['network']) =>
    new Gauge({ name: `counterfoil_chain_${name}`, help, labelNames, registers });
  const headAge = gauge('head_age_seconds', 'Age of the newest block that the node shows.');
  const lag = gauge('lag_blocks', 'Blocks between the head and the cursor.');
  const frozen = gauge('frozen', '1 while completions and coverage are stopped.');
  const coverageAge = gauge('coverage_age_seconds', 'Age of the newest block that was read twice at a tier.', [
    'network',
    'tier',
  ]);
  const accounts = gauge('accounts', 'Accounts that are read one by one, by what holds of them.', ['network', 'state']);
  const held = gauge(
    'amounts_held',
    `Amounts, of those given out, that are taken or rest; ${COUNTED_UP_TO} stands for more.`,
    ['network', 'token'],
  );
  const inbox = gauge('inbox_transfers', `Transfers that pay nothing, by reason; ${COUNTED_UP_TO} stands for more.`, [
    'network',
    'reason',
  ]);
  const counter = (name: string, help: string) =>
    new Counter({ name: `counterfoil_chain_${name}`, help, labelNames: ['network'], registers });
  const disagreements = counter('disagreements_total', 'Differences between the two looks at a range.');
  const rewinds = counter('rewinds_total', 'Reorganisations that were undone.');
  const dust = counter('dust_total', 'Transfers too small to pay anything.');
  const failures = counter('account_failures_total', 'Turns of an account that failed.');

  const showChain = (nowSeconds: number, chain: ChainHealth) => {
    const { network } = chain;
    headAge.set({ network }, nowSeconds - chain.headTime);
    lag.set({ network }, chain.headHeight - chain.height);
    frozen.set({ network }, chain.frozen ? 1 : 0);
    for (const { tier, time } of chain.coverage) coverageAge.set({ network, tier }, nowSeconds - time);
    for (const [state, count] of Object.entries(chain.accounts ?? {})) accounts.set({ network, state }, count);
  };
  collectTogether([headAge, lag, frozen, coverageAge, accounts, held, inbox], async () => {
    const nowSeconds = clock.nowMs() / 1000;
    const chains = await readChainHealth(database.queries, networks);
    const amountsHeld = await countAmounts(database.queries);
    const counts = await countInbox(database.queries);
    return () => {
      for (const chain of chains) showChain(nowSeconds, chain);
      for (const { network, token, amounts } of amountsHeld) held.set({ network, token }, amounts);
      for (const { network, reason, transfers } of counts) inbox.set({ network, reason }, transfers);
    };
  });
  const collectCounts = () => {
    for (const { source, counts } of followers) {
      const network = source.network.id;
      for (const [metric, value] of [
        [disagreements, counts.disagreements],
        [rewinds, counts.rewinds],
        [dust, counts.dust],
        [failures, counts.failures ?? 0],
      ] as const) {
        metric.remove({ network });
        metric.inc({ network }, value);
      }
    }
  };
  Reflect.set(disagreements, 'collect', collectCounts);
}
