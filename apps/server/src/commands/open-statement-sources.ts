import { createStatementSources } from '../platforms/create-statement-sources.ts';
import type { Pause } from '../platforms/exchange/request-gate.ts';
import { createRequestGate } from '../platforms/exchange/request-gate.ts';
import { savePause } from '../wallets/exchange-account-sql.ts';
import { tuneGate } from '../wallets/tune-gate.ts';
import type { StatementSources } from '../wallets/statement-sources.ts';
import type { OperatorContext } from './operator-context.ts';

export type PlatformContext = Pick<OperatorContext, 'database' | 'clock' | 'networks' | 'wait'>;

/**
 * Divisor of our IP address's quota: a command uses an eighth of a single worker's share, because workers do not count
 * commands and leave an eighth unused.
 */
const COMMAND_SHARE = 8;

/** Opens exchange platforms for one command. Pauses are shared with workers in both directions. */
export async function openStatementSources(context: PlatformContext): Promise<StatementSources> {
  const { database, clock, networks, wait } = context;
  const onPause = ({ baseUrl, account, untilMs }: Pause) => {
    if (account !== undefined) return;
    // If the pause cannot be saved, only this command keeps it.
    savePause(database.queries, baseUrl, new Date(untilMs), 'a command was asked for it').catch(() => {});
  };
  const gate = createRequestGate({ clock, onPause, wait });
  await tuneGate(context, gate);
  gate.shareWith(COMMAND_SHARE);
  return createStatementSources(networks, { clock, gate });
}
