import type { Registry } from 'prom-client';
import { COUNTED_UP_TO, countAmounts, countInbox, readChainHealth } from '../accounts/chain-health-sql.ts';
import type { Counts } from '../chains/follower-counts.ts';
import type { Network } from '../networks/network.ts';
import type { NetworksContext } from '../networks/networks.ts';
import type { Sample, SamplesOf } from './observe.ts';
import { counter, gauge, observe } from './observe.ts';

/** The part of a network's follower that metrics need, whether the network is read whole or account by account. */
export type Followed = { source: { network: Network }; counts: Counts };

const HEALTH_METRICS = {
  counterfoil_chain_head_age_seconds: gauge('Age of the newest block that the node shows.', 'network'),
  counterfoil_chain_lag_blocks: gauge('Blocks between the head and the cursor.', 'network'),
  counterfoil_chain_frozen: gauge('1 while completions and coverage are stopped.', 'network'),
  counterfoil_chain_coverage_age_seconds: gauge(
    'Age of the newest block that was read twice at a tier.',
    'network',
    'tier',
  ),
  counterfoil_chain_accounts: gauge('Accounts that are read one by one, by what holds of them.', 'network', 'state'),
  counterfoil_chain_amounts_held: gauge(
    `Amounts, of those given out, that are taken or rest; ${COUNTED_UP_TO} stands for more.`,
    'network',
    'token',
  ),
  counterfoil_chain_inbox_transfers: gauge(
    `Transfers that pay nothing, by reason; ${COUNTED_UP_TO} stands for more.`,
    'network',
    'reason',
  ),
};

/** What this process counts itself, and shows also while the database is away. */
const COUNT_METRICS = {
  counterfoil_chain_disagreements_total: counter('Differences between the two looks at a range.', 'network'),
  counterfoil_chain_rewinds_total: counter('Reorganisations that were undone.', 'network'),
  counterfoil_chain_dust_total: counter('Transfers too small to pay anything.', 'network'),
  counterfoil_chain_duplicate_logs_total: counter('Logs dropped because an answer listed them twice.', 'network'),
  counterfoil_chain_account_failures_total: counter('Turns of an account that failed.', 'network'),
};

async function readHealth({
  database: { queries },
  clock,
  networks,
}: NetworksContext): Promise<SamplesOf<typeof HEALTH_METRICS>> {
  const nowSeconds = clock.nowMs() / 1000;
  const chains = await readChainHealth(queries, networks);
  const amounts = await countAmounts(queries);
  const inbox = await countInbox(queries);
  return {
    counterfoil_chain_head_age_seconds: chains.map(({ network, headTime }) => [{ network }, nowSeconds - headTime]),
    counterfoil_chain_lag_blocks: chains.map(({ network, headHeight, height }) => [{ network }, headHeight - height]),
    counterfoil_chain_frozen: chains.map(({ network, frozen }) => [{ network }, frozen ? 1 : 0]),
    counterfoil_chain_coverage_age_seconds: chains.flatMap(({ network, coverage }) =>
      coverage.map(({ tier, time }): Sample => [{ network, tier }, nowSeconds - time]),
    ),
    counterfoil_chain_accounts: chains.flatMap(({ network, accounts }) =>
      Object.entries(accounts ?? {}).map(([state, count]): Sample => [{ network, state }, count]),
    ),
    counterfoil_chain_amounts_held: amounts.map(({ network, token, amounts: held }) => [{ network, token }, held]),
    counterfoil_chain_inbox_transfers: inbox.map(({ network, reason, transfers }) => [{ network, reason }, transfers]),
  };
}

function readCounts(followers: readonly Followed[]): SamplesOf<typeof COUNT_METRICS> {
  const countsOf = (kind: keyof Counts) =>
    followers.map(({ source, counts }): Sample => [{ network: source.network.id }, counts[kind]]);
  return {
    counterfoil_chain_disagreements_total: countsOf('disagreements'),
    counterfoil_chain_rewinds_total: countsOf('rewinds'),
    counterfoil_chain_dust_total: countsOf('dust'),
    counterfoil_chain_duplicate_logs_total: countsOf('duplicateLogs'),
    counterfoil_chain_account_failures_total: countsOf('failures'),
  };
}

/** Metrics of each network's health: these metrics show first when a network is read late. */
export function observeChains(registry: Registry, context: NetworksContext, followers: readonly Followed[]): void {
  observe(registry, HEALTH_METRICS, () => readHealth(context));
  observe(registry, COUNT_METRICS, () => readCounts(followers));
}
