import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import { reanchorChain, standsInChain } from '../chains/reanchor-chain.ts';
import type { Rescanned } from '../chains/rescan-chain.ts';
import { requireChainState, rescanChain } from '../chains/rescan-chain.ts';
import { chooseWitnesses } from '../chains/witness.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Network } from '../networks/network.ts';
import { readsAccounts } from '../networks/network.ts';
import type { NetworksContext } from '../networks/networks.ts';
import type { OpenFollowers } from './account-follower.ts';
import { listAccounts } from './account-sql.ts';
import { rescanAccount } from './rescan-account.ts';

export type RescanContext = NetworksContext &
  OpenFollowers & {
    /** Separates two requests to the same provider in time. */
    wait: (ms: number) => Promise<void>;
  };

type RescanNetworkInput = {
  network: string;
  from: number;
  to: number | undefined;
  reason: string;
  trusted: string | undefined;
};

type NetworkRescan =
  | { reanchored: { height: number; undone: number } }
  | { rescanned: Rescanned }
  | { rescanned: { from: number; to: number; accounts: number; found: number } };

/** Reads a range again for an operator, or gives a chain a new start after a reorg below every stored header. */
export async function rescanNetwork(
  context: RescanContext,
  actor: Actor,
  input: RescanNetworkInput,
): Promise<NetworkRescan> {
  const { reason, trusted } = input;
  const network = context.networks.get(input.network);
  if (!network) throw new Refusal('NETWORK_UNKNOWN', { network: input.network });
  const outcome = readsAccounts(network)
    ? await rescanAccounts(context, network, input)
    : await rescanWhole(context, network, input);
  await inTransaction(context.database, (tx) =>
    recordAudit(tx, context.clock, actor, {
      action: 'chain.rescan',
      subject: `chain:${network.id}`,
      details: { reason, ...outcome, ...(trusted !== undefined && { trusted }) },
    }),
  );
  return outcome;
}

async function rescanWhole(
  { openFollower, wait }: RescanContext,
  network: Network,
  { from, to, trusted }: RescanNetworkInput,
): Promise<NetworkRescan> {
  const follower = openFollower(network);
  const chain = await requireChainState(follower);
  const witnesses = await chooseWitnesses(follower.source, trusted);
  if (!(await standsInChain(follower, chain, witnesses)))
    return { reanchored: await reanchorChain(follower, from, witnesses) };
  return { rescanned: await rescanChain(follower, { from, to, native: true, witnesses, wait }) };
}

async function rescanAccounts(
  { database, clock, openAccountFollower }: RescanContext,
  network: Network,
  { from, to }: RescanNetworkInput,
): Promise<NetworkRescan> {
  const follower = openAccountFollower(network);
  await follower.source.verify();
  const { finalized } = await follower.source.heads('second');
  const upTo = to !== undefined && to < finalized.height ? { height: to, time: finalized.time } : finalized;
  let found = 0;
  const accounts = await listAccounts(database.queries, network.id);
  const startAt = new Date(clock.nowMs());
  // Time 0 makes the source check whether the node has kept the start of the range.
  const after = { height: from - 1, time: 0 };
  for (const account of accounts) found += await rescanAccount(follower, { account, after, upTo, startAt });
  return { rescanned: { from, to: upTo.height, accounts: accounts.length, found } };
}
