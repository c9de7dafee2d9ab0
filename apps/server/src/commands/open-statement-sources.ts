import type { NetworksContext } from '../networks/networks.ts';
import { createStatementSources } from '../platforms/create-statement-sources.ts';
import type { Pause } from '../platforms/exchange/request-gate.ts';
import { createRequestGate } from '../platforms/exchange/request-gate.ts';
import { savePause } from '../wallets/exchange-account-sql.ts';
import { tuneGate } from '../wallets/tune-gate.ts';
import type { StatementSources } from '../wallets/statement-sources.ts';

/** Commands use an eighth of what a worker alone may ask: workers do not know of them, and leave no more. */
const COMMAND_SHARE = 8;

/**
 * Opens the exchange platforms for one command. A platform that asked a worker for a pause is left alone by commands too,
 * and one that asked a command is left alone by workers.
 */
export async function openStatementSources(context: NetworksContext): Promise<StatementSources> {
  const { database, clock, networks } = context;
  const onPause = ({ baseUrl, account, untilMs }: Pause) => {
    if (account !== undefined) return;
    // A pause that cannot be saved is still kept by this command.
    savePause(database.queries, baseUrl, new Date(untilMs), 'a command was asked for it').catch(() => {});
  };
  const gate = createRequestGate({ clock, onPause });
  await tuneGate(context, gate);
  gate.shareWith(COMMAND_SHARE);
  return createStatementSources(networks, { clock, gate });
}
