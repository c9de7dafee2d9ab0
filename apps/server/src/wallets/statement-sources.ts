import { Refusal } from '../lib/refusal.ts';
import type { ExchangeNetwork } from '../networks/exchange-networks.ts';
import { isExchange } from '../networks/exchange-networks.ts';
import type { Networks, NetworksContext } from '../networks/networks.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { StatementSource } from '../platforms/statement-source.ts';

export type StatementSources = ReadonlyMap<string, StatementSource>;

export type ExchangeContext = NetworksContext & { statements: StatementSources };

export function requirePlatform(networks: Networks, id: string): ExchangeNetwork {
  const network = networks.get(id);
  if (network && isExchange(network)) return network;
  const known = [...networks.values()].filter(isExchange).map((one) => one.id);
  throw new Refusal('EXCHANGE_UNKNOWN', { network: id, known });
}

export function requireStatementSource(statements: StatementSources, network: string): StatementSource {
  const source = statements.get(network);
  if (!source) throw new Error(`${network} has no adapter.`);
  return source;
}

/** Turns a platform's failure into a refusal, for interactive verbs. */
export async function refuseUnanswered<Answer>(network: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof SourceError) throw new Refusal('EXCHANGE_NOT_ANSWERING', { network, reason: cause.message });
    throw cause;
  }
}
