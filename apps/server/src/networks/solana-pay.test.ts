import { describe, expect, test } from 'vitest';
import { findNetwork } from '../../rig/chains/networks.ts';
import { findToken } from './network.ts';
import { solanaPayUri } from './solana-pay.ts';

const WALLET = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';
const REFERENCES = ['82ZJ7nbGpixjeDCmEhUcmwXYfvurzAgGdtSMuHnUgyny', '4MuMTbZ4jEJQkdvuHYbmSFtQYnZhtTeNPSmwUTJANGs6'];

function token(symbol: string) {
  const network = findNetwork('SOL') ?? expect.unreachable();
  return findToken(network, symbol) ?? expect.unreachable();
}

const request = (symbol: string, units: bigint) => ({ wallet: WALLET, token: token(symbol), units, references: [] });

describe('the amount is a plain decimal with no more digits than the token has', () => {
  test.each([
    ['SOL', 1n, '0.000000001'],
    ['SOL', 1_000_000_000n, '1'],
    ['SOL', 1_500_000_000n, '1.5'],
    ['SOL', 2n ** 63n, '9223372036.854775808'],
    ['USDT', 1n, '0.000001'],
    ['USDT', 12_345_678n, '12.345678'],
    ['USDC', 10_000_000_000_000_000n, '10000000000'],
  ])('%s %s', (symbol, units, amount) => {
    expect(solanaPayUri(request(symbol, units))).toContain(`solana:${WALLET}?amount=${amount}`);
  });
});

test('a link for coins names no mint', () => {
  expect(solanaPayUri(request('SOL', 10_000_000n))).toBe(`solana:${WALLET}?amount=0.01`);
});

test('a link for tokens names their mint, and the receiver stays the wallet', () => {
  const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  expect(solanaPayUri(request('USDC', 10_000n))).toBe(`solana:${WALLET}?amount=0.01&spl-token=${mint}`);
});

test('a link keeps the order of references, and encodes texts', () => {
  const uri = solanaPayUri({
    ...request('SOL', 1_000_000_000n),
    references: REFERENCES,
    label: 'Käse & Brot?',
    message: 'Order #1 = 100%',
  });
  expect(uri).toBe(
    `solana:${WALLET}?amount=1&reference=${REFERENCES[0]}&reference=${REFERENCES[1]}` +
      '&label=K%C3%A4se%20%26%20Brot%3F&message=Order%20%231%20%3D%20100%25',
  );
  const parsed = new URL(uri).searchParams;
  expect([parsed.get('label'), parsed.get('message')]).toEqual(['Käse & Brot?', 'Order #1 = 100%']);
  expect(parsed.getAll('reference')).toEqual(REFERENCES);
});

test('a link leaves out empty texts, cuts long ones between characters, and mends broken ones', () => {
  const uri = solanaPayUri({ ...request('SOL', 1n), label: '', message: '🧀'.repeat(100) });
  expect(uri).not.toContain('label');
  expect(new URL(uri).searchParams.get('message')).toBe('🧀'.repeat(80));
  expect(() => solanaPayUri({ ...request('SOL', 1n), label: 'x\ud800' })).not.toThrow();
});
