// Written by pnpm generate. Do not edit.

export const NETWORKS = [
  {"id":"BSC","name":"BNB Smart Chain","family":"evm","standard":"BEP20","tokens":["USDT","USDC","BNB"]},
  {"id":"ETH","name":"Ethereum","family":"evm","standard":"ERC20","tokens":["USDT","USDC","ETH"]},
  {"id":"TRC20","name":"Tron","family":"tron","standard":"TRC20","tokens":["USDT","TRX"]},
  {"id":"SOL","name":"Solana","family":"solana","standard":"SOL","tokens":["USDT","USDC","SOL"]},
  {"id":"POLYGON","name":"Polygon","family":"evm","standard":"Polygon PoS","tokens":["USDT","USDC","POL"]},
  {"id":"ARBITRUM","name":"Arbitrum One","family":"evm","standard":"Arbitrum One","tokens":["USDT","USDC","ETH"]},
  {"id":"OPTIMISM","name":"OP Mainnet","family":"evm","standard":"Optimism","tokens":["USDT","USDT0","USDC","ETH"]},
  {"id":"BASE","name":"Base","family":"evm","standard":"Base","tokens":["USDT","USDC","ETH"]},
  {"id":"AVAX","name":"Avalanche C-Chain","family":"evm","standard":"Avalanche C-Chain","tokens":["USDT","USDC","AVAX"]},
  {"id":"EXCHANGE_PAY:BINANCE","name":"Binance","family":"exchange","standard":"Binance","tokens":["USDT","USDC"]},
  {"id":"EXCHANGE_PAY:OKX","name":"OKX","family":"exchange","standard":"OKX","tokens":["USDT","USDC"]},
  {"id":"EXCHANGE_PAY:BYBIT","name":"Bybit","family":"exchange","standard":"Bybit","tokens":["USDT","USDC"]},
  {"id":"EXCHANGE_PAY:KUCOIN","name":"KuCoin","family":"exchange","standard":"KuCoin","tokens":["USDT","USDC"]},
  {"id":"sandbox:BSC","name":"BNB Smart Chain","family":"sandbox","standard":"BEP20","tokens":["USDT","USDC","BNB"]},
  {"id":"sandbox:ETH","name":"Ethereum","family":"sandbox","standard":"ERC20","tokens":["USDT","USDC","ETH"]},
  {"id":"sandbox:TRC20","name":"Tron","family":"sandbox","standard":"TRC20","tokens":["USDT","TRX"]},
  {"id":"sandbox:SOL","name":"Solana","family":"sandbox","standard":"SOL","tokens":["USDT","USDC","SOL"]},
  {"id":"sandbox:POLYGON","name":"Polygon","family":"sandbox","standard":"Polygon PoS","tokens":["USDT","USDC","POL"]},
  {"id":"sandbox:ARBITRUM","name":"Arbitrum One","family":"sandbox","standard":"Arbitrum One","tokens":["USDT","USDC","ETH"]},
  {"id":"sandbox:OPTIMISM","name":"OP Mainnet","family":"sandbox","standard":"Optimism","tokens":["USDT","USDT0","USDC","ETH"]},
  {"id":"sandbox:BASE","name":"Base","family":"sandbox","standard":"Base","tokens":["USDT","USDC","ETH"]},
  {"id":"sandbox:AVAX","name":"Avalanche C-Chain","family":"sandbox","standard":"Avalanche C-Chain","tokens":["USDT","USDC","AVAX"]},
] as const;

export const ROLES = ["owner","admin","developer","finance","viewer"] as const;

export const PERMISSIONS = {
  'invoice.see': {"owner":"all","admin":"all","developer":"all","finance":"all","viewer":"all"},
  'balance.see': {"owner":"all","admin":"all","developer":"none","finance":"all","viewer":"none"},
  'export.make': {"owner":"all","admin":"all","developer":"none","finance":"all","viewer":"none"},
  'transfer.attach': {"owner":"all","admin":"all","developer":"none","finance":"all","viewer":"none"},
  'delivery.see': {"owner":"all","admin":"all","developer":"all","finance":"none","viewer":"none"},
  'delivery.use': {"owner":"all","admin":"all","developer":"all","finance":"none","viewer":"none"},
  'api_key.use': {"owner":"all","admin":"all","developer":"all","finance":"none","viewer":"none"},
  'webhook_secret.use': {"owner":"all","admin":"all","developer":"all","finance":"none","viewer":"none"},
  'store.change': {"owner":"all","admin":"all","developer":"test","finance":"none","viewer":"none"},
  'method.see': {"owner":"all","admin":"all","developer":"all","finance":"all","viewer":"none"},
  'method.change': {"owner":"all","admin":"all","developer":"test","finance":"none","viewer":"none"},
  'method.lock': {"owner":"all","admin":"all","developer":"all","finance":"all","viewer":"all"},
  'method.unlock': {"owner":"all","admin":"none","developer":"none","finance":"none","viewer":"none"},
  'balance.top_up': {"owner":"all","admin":"all","developer":"none","finance":"all","viewer":"none"},
  'team.see': {"owner":"all","admin":"all","developer":"none","finance":"none","viewer":"none"},
  'team.change': {"owner":"all","admin":"all","developer":"none","finance":"none","viewer":"none"},
  'audit.see': {"owner":"all","admin":"all","developer":"none","finance":"all","viewer":"none"},
  'merchant.close': {"owner":"all","admin":"none","developer":"none","finance":"none","viewer":"none"},
} as const;
