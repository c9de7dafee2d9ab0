import type { NetworksContext } from '../networks/networks.ts';
import { createStatementSources } from '../platforms/create-statement-sources.ts';
import { createRequestGate } from '../platforms/exchange/request-gate.ts';
import { tuneGate } from '../wallets/tune-gate.ts';
import type { StatementSources } from '../wallets/statement-sources.ts';

/** Opens the exchange platforms for one command. One that asked a worker for a pause is left alone by commands too. */
export async function openStatementSources(context: NetworksContext): Promise<StatementSources> {
  const { clock, networks } = context;
  const gate = createRequestGate({ clock });
  await tuneGate(context, gate);
  return createStatementSources(networks, { clock, gate });
}
