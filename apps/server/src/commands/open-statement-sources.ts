import type { NetworksContext } from '../networks/networks.ts';
import { createStatementSources } from '../platforms/create-statement-sources.ts';
import { createRequestGate } from '../platforms/exchange/request-gate.ts';
import { readPauses } from '../wallets/exchange-account-sql.ts';
import type { StatementSources } from '../wallets/statement-sources.ts';

/** Opens the exchange platforms for one command. One that asked a worker for a pause is left alone by commands too. */
export async function openStatementSources({ database, clock, networks }: NetworksContext): Promise<StatementSources> {
  const gate = createRequestGate({ clock });
  for (const { baseUrl, pausedUntil } of await readPauses(database.queries, new Date(clock.nowMs())))
    gate.pauseUntil(baseUrl, pausedUntil.getTime());
  return createStatementSources(networks, { clock, gate });
}
