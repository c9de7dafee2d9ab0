import { z } from 'zod';
import type { Network } from '../../../networks/network.ts';
import { SourceError } from '../../chain-source.ts';
import { TOKEN_PROGRAM } from './derive-token-account.ts';
import { tokensByMint } from './solana-decode.ts';
import type { SolanaCall } from './solana-rpc.ts';
import { askAll, askEach, MIN_CONTEXT_SLOT_NOT_REACHED, parseAnswer } from './solana-rpc.ts';

/** Providers of one network. None is believed before it has proved which chain it serves. */

export type Pass = 'first' | 'second';

export type Provider = {
  ask: (calls: readonly SolanaCall[]) => Promise<unknown[]>;
  askEach: (calls: readonly SolanaCall[]) => ReturnType<typeof askEach>;
  /** Refuses to answer from before a slot that it is asked for. */
  keepsMinContextSlot: boolean;
};

const MAINNET_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const FAR_FUTURE_SLOT = Number.MAX_SAFE_INTEGER;
const MINT_BYTES = 82;
const MINT_DECIMALS_AT = 44;

const accountSchema = z.object({
  value: z.object({ owner: z.string(), data: z.tuple([z.string(), z.literal('base64')]) }).nullable(),
});

function requireMint(network: Network, token: { symbol: string; decimals: number }, answer: unknown): void {
  const { value } = parseAnswer(accountSchema, answer, 'account');
  const data = Buffer.from(value?.data[0] ?? '', 'base64');
  if (value?.owner !== TOKEN_PROGRAM || data.length !== MINT_BYTES)
    throw new SourceError('unavailable', `${token.symbol} on ${network.symbol} is no mint of the token program.`);
  const found = data[MINT_DECIMALS_AT];
  if (found === token.decimals) return;
  const text = `${token.symbol} on ${network.symbol} has ${found} decimals, not ${token.decimals}.`;
  throw new SourceError('unavailable', text);
}

/** Throws when the provider serves another chain, or a token there is not what our list says. */
export async function proveProvider(network: Network, url: string, timeoutMs: number): Promise<Provider> {
  const tokens = [...tokensByMint(network).entries()];
  const mints = tokens.map(([mint]) => ({ method: 'getAccountInfo', params: [mint, { encoding: 'base64' }] }));
  const [genesis, ...accounts] = await askAll(url, [{ method: 'getGenesisHash', params: [] }, ...mints], timeoutMs);
  if (genesis !== MAINNET_GENESIS)
    throw new SourceError('unavailable', `A provider of ${network.symbol} serves chain ${String(genesis)}.`);
  for (const [position, [, token]] of tokens.entries()) requireMint(network, token, accounts[position]);
  const config = { commitment: 'confirmed', limit: 1, minContextSlot: FAR_FUTURE_SLOT };
  const [future] = await askEach(
    url,
    [{ method: 'getSignaturesForAddress', params: [SYSTEM_PROGRAM, config] }],
    timeoutMs,
  );
  return {
    ask: (calls) => askAll(url, calls, timeoutMs),
    askEach: (calls) => askEach(url, calls, timeoutMs),
    keepsMinContextSlot: future?.error?.code === MIN_CONTEXT_SLOT_NOT_REACHED,
  };
}

/** The first pass starts with the first provider, the second with the second; the others stand by. */
function inTurn(urls: readonly string[], pass: Pass): string[] {
  const start = pass === 'second' && urls.length > 1 ? 1 : 0;
  return [...urls.slice(start), ...urls.slice(0, start)];
}

export type Providers = {
  /** Does the whole work with one provider, or with the next if that one fails. */
  use: <T>(pass: Pass, work: (provider: Provider) => Promise<T>) => Promise<T>;
  verify: () => Promise<void>;
};

export function createProviders(network: Network, urls: readonly string[], timeoutMs: number): Providers {
  const proved = new Map<string, Provider>();
  async function prove(url: string): Promise<Provider> {
    const provider = proved.get(url) ?? (await proveProvider(network, url, timeoutMs));
    proved.set(url, provider);
    return provider;
  }
  return {
    use: async (pass, work) => {
      let last: unknown;
      for (const url of inTurn(urls, pass)) {
        try {
          return await work(await prove(url));
        } catch (cause) {
          last = cause;
        }
      }
      throw last ?? new SourceError('unavailable', 'No provider is configured.');
    },
    verify: async () => {
      for (const url of urls) proved.set(url, await proveProvider(network, url, timeoutMs));
    },
  };
}
