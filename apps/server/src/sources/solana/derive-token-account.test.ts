import { expect, test } from 'vitest';
import { randomAddress } from '../../../rig/chains/solana/accounts.ts';
import { associatedAccount } from '../../../rig/chains/solana/instructions.ts';
import { USDC, USDT } from '../../../rig/chains/solana/mints.ts';
import { deriveTokenAccount } from './derive-token-account.ts';

test('a token account is where the client library of the chain finds it, whatever bump it takes', async () => {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const wallet = randomAddress();
    for (const { address } of [USDT, USDC])
      expect(deriveTokenAccount(wallet, address)).toBe(await associatedAccount(wallet, address));
  }
});
