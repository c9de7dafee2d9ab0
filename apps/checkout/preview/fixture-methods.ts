import type { MethodView } from '../src/checkout-view.ts';
import type { GuideInput } from '../src/server-contract.ts';

export const PLATFORMS: Record<string, { platform: string; idName: string; way: GuideInput['way'] }> = {
  'EXCHANGE_PAY:BINANCE': { platform: 'Binance', idName: 'Binance ID', way: 'pay' },
  'EXCHANGE_PAY:OKX': { platform: 'OKX', idName: 'OKX UID', way: 'internal-transfer' },
  'EXCHANGE_PAY:BYBIT': { platform: 'Bybit', idName: 'Bybit UID', way: 'internal-transfer' },
  'EXCHANGE_PAY:KUCOIN': { platform: 'KuCoin', idName: 'KuCoin UID', way: 'unknown' },
};

export function method(token: string, network: string, part: Partial<MethodView> = {}): MethodView {
  const names: Record<string, [string, string, MethodView['family'], number, MethodView['feeHint']]> = {
    BSC: ['BNB Smart Chain', 'BEP20', 'evm', 10, 'very-low'],
    ETH: ['Ethereum', 'ERC20', 'evm', 180, 'high'],
    TRC20: ['Tron', 'TRC20', 'tron', 60, 'medium'],
    SOL: ['Solana', 'SOL', 'solana', 15, 'very-low'],
    POLYGON: ['Polygon', 'ERC20', 'evm', 20, 'very-low'],
    ARBITRUM: ['Arbitrum One', 'ERC20', 'evm', 60, 'low'],
  };
  const tokens: Record<string, string> = { USDT: 'Tether USD', USDC: 'USD Coin', BNB: 'BNB', ETH: 'Ether' };
  const platform = PLATFORMS[network]?.platform ?? '';
  const [networkName, standard, family, typicalSeconds, feeHint] = names[network] ?? [
    platform,
    token,
    'exchange',
    5,
    'none',
  ];
  const base = { token, tokenName: tokens[token] ?? token, network, networkName, standard, family };
  return { ...base, state: 'ready', refusal: null, typicalSeconds, feeHint, lowestFee: false, ...part };
}
