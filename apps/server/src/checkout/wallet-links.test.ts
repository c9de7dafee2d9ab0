import { expect, test } from 'vitest';
import { findNetwork } from '../../rig/chains/networks.ts';
import { findToken } from '../networks/network.ts';
import { walletLinks } from './wallet-links.ts';

const TO = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';

type Asked = { units: bigint; amount: string; to?: string; reference?: string };

function linksOf(network: string, token: string, asked: Asked): string[] {
  const { units, amount, to = TO, reference = null } = asked;
  const found = findNetwork(network);
  const of = found && findToken(found, token);
  if (!found || !of) throw new Error(`${token} on ${network} is not listed.`);
  return walletLinks({ network: found, token: of, to, units, amount, reference }).map((link) => link.url);
}

test('a token is sent by a call of its contract, to the receiver and in base units', () => {
  const contract = '0x55d398326f99059fF775485246999027B3197955';
  expect(linksOf('BSC', 'USDT', { units: 50_000_317_000_000_000_000n, amount: '50.000317' })).toEqual([
    `ethereum:${contract}@56/transfer?address=${TO}&uint256=50000317000000000000`,
    `https://link.metamask.io/send/${contract}@56/transfer?address=${TO}&uint256=50000317000000000000`,
    `https://link.trustwallet.com/send?asset=c20000714_t${contract}&address=${TO}&amount=50.000317`,
  ]);
});

test('a coin is sent to the receiver itself', () => {
  expect(linksOf('ETH', 'ETH', { units: 16_666_700_000_000_000n, amount: '0.0166667' })).toEqual([
    `ethereum:${TO}@1?value=16666700000000000`,
    `https://link.metamask.io/send/${TO}@1?value=16666700000000000`,
    `https://link.trustwallet.com/send?asset=c60&address=${TO}&amount=0.0166667`,
  ]);
});

test('a Solana payment names its wallet, its mint and the reference of its quote', () => {
  const to = 'FWznbcNXWQuHTawe9RxvQ2LdCENssh12dsznf4RiouN5';
  const reference = '82ZJ7nbGpixjeDCmEhUcmwXYfvurzAgGdtSMuHnUgyny';
  const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  expect(linksOf('SOL', 'USDC', { units: 25_003_412n, amount: '25.003412', to, reference })).toEqual([
    `solana:${to}?amount=25.003412&spl-token=${mint}&reference=${reference}`,
    `https://link.trustwallet.com/send?asset=c501_t${mint}&address=${to}&amount=25.003412`,
  ]);
});

test('Tron has no link of its own: only a wallet with links for every chain is offered', () => {
  const to = 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL';
  const contract = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
  expect(linksOf('TRC20', 'USDT', { units: 25_003_412n, amount: '25.003412', to })).toEqual([
    `https://link.trustwallet.com/send?asset=c195_t${contract}&address=${to}&amount=25.003412`,
  ]);
});
