import { expect, test } from 'vitest';
import { findNetwork, findToken } from '../networks/network.ts';
import { walletLinks } from './wallet-links.ts';

const TO = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';

function linksOf(network: string, token: string, units: bigint, amount: string): string[] {
  const found = findNetwork(network);
  const of = found && findToken(found, token);
  if (!found || !of) throw new Error(`${token} on ${network} is not listed.`);
  return walletLinks({ network: found, token: of, to: TO, units, amount }).map((link) => link.url);
}

test('a token is sent by a call of its contract, to the receiver and in base units', () => {
  const contract = '0x55d398326f99059fF775485246999027B3197955';
  expect(linksOf('BSC', 'USDT', 50_000_317_000_000_000_000n, '50.000317')).toEqual([
    `ethereum:${contract}@56/transfer?address=${TO}&uint256=50000317000000000000`,
    `https://link.metamask.io/send/${contract}@56/transfer?address=${TO}&uint256=50000317000000000000`,
    `https://link.trustwallet.com/send?asset=c20000714_t${contract}&address=${TO}&amount=50.000317`,
  ]);
});

test('a coin is sent to the receiver itself', () => {
  expect(linksOf('ETH', 'ETH', 16_666_700_000_000_000n, '0.0166667')).toEqual([
    `ethereum:${TO}@1?value=16666700000000000`,
    `https://link.metamask.io/send/${TO}@1?value=16666700000000000`,
    `https://link.trustwallet.com/send?asset=c60&address=${TO}&amount=0.0166667`,
  ]);
});

test('where no link is honoured there is none', () => {
  expect(linksOf('TRC20', 'USDT', 1n, '1')).toEqual([]);
  expect(linksOf('SOL', 'USDC', 1n, '1')).toEqual([]);
});
