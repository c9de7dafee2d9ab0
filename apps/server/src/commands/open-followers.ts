import type { OpenFollowers } from '../accounts/account-follower.ts';
import { createAccountFollower } from '../accounts/account-follower.ts';
import type { StatementFollower } from '../accounts/statement-follower.ts';
import { createStatementFollower } from '../accounts/statement-follower.ts';
import { createFollower } from '../chains/follower.ts';
import { createApplyTransfers } from '../invoices/apply-transfers.ts';
import { createFindEnds } from '../invoices/expiry-sql.ts';
import { nameOfActor } from '../lib/actor.ts';
import { createLog } from '../lib/log.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Network } from '../networks/network.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { SourceAddress } from '../sources/create-source.ts';
import { createAccountSource, createSource } from '../sources/create-source.ts';
import { openExchangeKey } from '../wallets/open-exchange-key.ts';
import { requirePlatform, requireStatementSource } from '../wallets/statement-sources.ts';
import type { PlatformContext } from './open-statement-sources.ts';
import { openStatementSources } from './open-statement-sources.ts';
import type { OperatorContext } from './operator-context.ts';

/** Opens followers of the configured networks for one command, without a log. */
export function openFollowers({
  database,
  clock,
  networks,
  actor,
  chainUrls,
  genesisHash,
}: Pick<OperatorContext, 'database' | 'clock' | 'networks' | 'actor' | 'chainUrls' | 'genesisHash'>): OpenFollowers {
  const parts = { database, clock, log: createLog('silent'), apply: createApplyTransfers({ clock, networks }) };
  const addressOf = (network: Network): SourceAddress => {
    const urls = chainUrls(network.id);
    if (urls.length === 0) throw new Refusal('NETWORK_WITHOUT_NODE', { network: network.id });
    return { network, urls, genesisHash: genesisHash?.(network.id) };
  };
  return {
    openFollower: (network) =>
      createFollower({ ...parts, owner: nameOfActor(actor), source: createSource(addressOf(network)) }),
    openAccountFollower: (network) =>
      createAccountFollower({
        ...parts,
        findEnds: createFindEnds(database.queries),
        source: createAccountSource(addressOf(network)),
      }),
  };
}

export async function openStatementFollower(
  context: PlatformContext,
  network: string,
  ring: KeyRing,
): Promise<StatementFollower> {
  const { database, clock, networks } = context;
  const statements = await openStatementSources(context);
  return createStatementFollower({
    database,
    clock,
    log: createLog('silent'),
    apply: createApplyTransfers({ clock, networks }),
    source: requireStatementSource(statements, requirePlatform(networks, network).id),
    keyOf: (one) => openExchangeKey(database.queries, ring, one),
  });
}
