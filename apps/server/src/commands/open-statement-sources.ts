import { createStatementSources } from '../platforms/create-statement-sources.ts';
import type { Pause } from '../platforms/exchange/request-gate.ts';
import { createRequestGate } from '../platforms/exchange/request-gate.ts';
import { savePause } from '../wallets/exchange-account-sql.ts';
import { tuneGate } from '../wallets/tune-gate.ts';
import type { StatementSources } from '../wallets/statement-sources.ts';
import type { OperatorContext } from './operator-context.ts';

/** The part of a command's context that exchange platforms are asked with. */
export type PlatformContext = Pick<OperatorContext, 'database' | 'clock' | 'networks' | 'wait'>;

/**
 * Divisor of the quota of our IP address: a command uses an eighth of what a single worker may use. Workers do not know
 * of commands, and leave no more than an eighth of the quota unused.
 */
const COMMAND_SHARE = 8;

/**
 * Opens the exchange platforms for one command. A platform that asked a worker for a pause is left alone by commands too,
 * and one that asked a command is left alone by workers.
 */
export async function openStatementSources(context: PlatformContext): Promise<StatementSources> {
  const { database, clock, networks, wait } = context;
  const onPause = ({ baseUrl, account, untilMs }: Pause) => {
    if (account !== undefined) return;
    // A pause that cannot be saved stays unknown to workers, but this command still keeps the pause.
    savePause(database.queries, baseUrl, new Date(untilMs), 'a command was asked for it').catch(() => {});
  };
  const gate = createRequestGate({ clock, onPause, wait });
  await tuneGate(context, gate);
  gate.shareWith(COMMAND_SHARE);
  return createStatementSources(networks, { clock, gate });
}
