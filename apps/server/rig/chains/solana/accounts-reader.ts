import type { AccountSource } from '../../../src/sources/account-source.ts';
import { finishReading, followAccounts } from '../../../src/accounts/follow-accounts.ts';
import type { SolanaNode } from './node.ts';
import type { EngineFixture } from '../../invoices/engine-fixture.ts';
import { ageReads, createReader, follow, makeDue } from '../../invoices/solana-fixture.ts';
import type { Deaths, RigReader } from '../chain-rig.ts';

/**
 * Reader for a network that is followed account by account. Each step makes all followed accounts due, so that no
 * scenario waits for the schedule.
 */

export const ACCOUNT_DEATHS: Deaths = {
  recorded: ['account:recorded', 'account:proven'],
  inside: ['account:in-commit', 'account:in-proof'],
  after: ['account:after-commit', 'account:after-proof'],
};

export function createAccountsReader(engine: EngineFixture & { node: SolanaNode }, source: AccountSource): RigReader {
  const follower = createReader(engine, { source });
  return {
    step: async () => {
      await makeDue(engine);
      const step = await followAccounts(follower);
      await finishReading(follower);
      await ageReads(engine);
      return step;
    },
    toEnd: async () => {
      await follow({ ...engine, follower });
      await ageReads(engine);
      await follow({ ...engine, follower });
    },
    covered: async () => {
      const { rows } = await engine.database.pool.query<{ covered: number }>(
        `select coalesce(min(coalesce(c.height, 0)), 0)::float8 as covered from followed_accounts f
           left join chain_coverage c on c.network = f.network and c.scope = f.account
         where f.network = $1 and f.state <> 'idle'`,
        [source.network.id],
      );
      return rows[0]?.covered ?? 0;
    },
    handOver: () => makeDue(engine),
    counts: follower.counts,
  };
}
