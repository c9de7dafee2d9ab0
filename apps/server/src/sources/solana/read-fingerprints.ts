import { z } from 'zod';
import type { Provider } from './solana-providers.ts';
import { parseAnswer } from './solana-rpc.ts';

/** Balances of many accounts. No change proves nothing: money that came and went leaves the same balances. */

const MAX_ADDRESSES_PER_CALL = 100;
const TOKEN_AMOUNT = { offset: 64, length: 8 };

const accountsSchema = z.object({
  value: z.array(z.object({ lamports: z.number(), data: z.tuple([z.string(), z.string()]) }).nullable()),
});

export async function readFingerprints(
  provider: Provider,
  accounts: readonly string[],
  addressesOf: (account: string) => string[],
): Promise<Map<string, string>> {
  const addresses = accounts.flatMap(addressesOf);
  const calls = [];
  for (let start = 0; start < addresses.length; start += MAX_ADDRESSES_PER_CALL) {
    const part = addresses.slice(start, start + MAX_ADDRESSES_PER_CALL);
    const config = { commitment: 'confirmed', encoding: 'base64', dataSlice: TOKEN_AMOUNT };
    calls.push({ method: 'getMultipleAccounts', params: [part, config] });
  }
  const answers = await provider.ask(calls);
  const found = answers.flatMap((answer) => parseAnswer(accountsSchema, answer, 'list of accounts').value);
  const states = new Map(addresses.map((address, position) => [address, found[position]]));
  return new Map(
    accounts.map((account) => {
      const balances = addressesOf(account).map((address) => states.get(address));
      return [account, balances.map((one) => (one ? `${one.lamports}:${one.data[0]}` : '')).join(' ')];
    }),
  );
}
