import type { AccountSource } from '../../src/sources/account-source.ts';
import { finishReading, followAccounts } from '../../src/accounts/follow-accounts.ts';
import type { SolanaNode } from '../chain/solana-node.ts';
import type { Shop } from '../engine/shop.ts';
import { ageReads, createReader, follow, makeDue } from '../engine/solana-shop.ts';
import type { Deaths, RigReader } from './rig.ts';

/** A network that is read account by account. Every step finds every account due: turns would be waited for otherwise. */

export const ACCOUNT_DEATHS: Deaths = {
  recorded: ['account:recorded', 'account:proven'],
  inside: ['account:in-commit', 'account:in-proof'],
  after: ['account:after-commit', 'account:after-proof'],
};

export function createAccountsReader(shop: Shop & { node: SolanaNode }, source: AccountSource): RigReader {
  const follower = createReader(shop, { source });
  return {
    step: async () => {
      await makeDue(shop);
      const step = await followAccounts(follower);
      await finishReading(follower);
      await ageReads(shop);
      return step;
    },
    toEnd: async () => {
      await follow({ ...shop, follower });
      await ageReads(shop);
      await follow({ ...shop, follower });
    },
    covered: async () => {
      const { rows } = await shop.database.pool.query<{ covered: number }>(
        `select coalesce(min(coalesce(c.height, 0)), 0)::float8 as covered from followed_accounts f
           left join chain_coverage c on c.network = f.network and c.scope = f.account
         where f.network = $1 and f.state <> 'idle'`,
        [source.network.symbol],
      );
      return rows[0]?.covered ?? 0;
    },
    handOver: () => makeDue(shop),
    counts: follower.counts,
  };
}
