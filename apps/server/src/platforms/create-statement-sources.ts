import { isExchange } from '../networks/exchange-networks.ts';
import type { ExchangeNetwork } from '../networks/exchange-networks.ts';
import type { Networks } from '../networks/networks.ts';
import type { ExchangeOptions } from './exchange/ask-platform.ts';
import { createBinanceSource } from './binance/binance-source.ts';
import { createBybitSource } from './bybit/bybit-source.ts';
import { createKucoinSource } from './kucoin/kucoin-source.ts';
import { createOkxSource } from './okx/okx-source.ts';
import type { StatementSource } from './statement-source.ts';

const ADAPTERS: Record<string, (network: ExchangeNetwork, options: ExchangeOptions) => StatementSource> = {
  'EXCHANGE_PAY:BINANCE': createBinanceSource,
  'EXCHANGE_PAY:OKX': createOkxSource,
  'EXCHANGE_PAY:BYBIT': createBybitSource,
  'EXCHANGE_PAY:KUCOIN': createKucoinSource,
};

/** Adapters of all platforms; they share one request gate. */
export function createStatementSources(networks: Networks, options: ExchangeOptions): Map<string, StatementSource> {
  const sources = new Map<string, StatementSource>();
  for (const network of networks.values()) {
    const create = isExchange(network) ? ADAPTERS[network.id] : undefined;
    if (create && isExchange(network)) sources.set(network.id, create(network, options));
  }
  return sources;
}
