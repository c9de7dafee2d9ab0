import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import type { Network } from '../../networks/network.ts';
import { profileOf } from '../../networks/profile.ts';
import type { AccountHeads } from '../account-source.ts';
import type { Pass, RefusedProvider, StandingHead } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import { createHeadWatch, createReadHeads } from '../head-watch.ts';
import type { AskProviders } from '../ask-providers.ts';
import { createAskProviders, nameProviders, namesOf } from '../ask-providers.ts';
import { TOKEN_PROGRAM } from './derive-token-account.ts';
import { tokensByMint } from './solana-decode.ts';
import type { SolanaCall } from './solana-rpc.ts';
import { askAll, askEach, CODES, parseAnswer } from './solana-rpc.ts';

export type Provider = {
  ask: (calls: readonly SolanaCall[]) => Promise<unknown[]>;
  askEach: (calls: readonly SolanaCall[]) => ReturnType<typeof askEach>;
  /** Whether the provider obeys `minContextSlot`, found out when it is proved. */
  keepsMinContextSlot: boolean;
};

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
    throw new SourceError('unavailable', `${token.symbol} on ${network.id} is no mint of the token program.`);
  const found = data[MINT_DECIMALS_AT];
  if (found === token.decimals) return;
  const text = `${token.symbol} on ${network.id} has ${found} decimals, not ${token.decimals}.`;
  throw new SourceError('unavailable', text);
}

/** Throws when the provider serves another chain, or a token differs from our list. */
async function proveProvider(network: Network, provider: Provider, genesisHash: string): Promise<void> {
  const tokens = [...tokensByMint(network).entries()];
  const mints = tokens.map(([mint]) => ({ method: 'getAccountInfo', params: [mint, { encoding: 'base64' }] }));
  const [genesis, ...accounts] = await provider.ask([{ method: 'getGenesisHash', params: [] }, ...mints]);
  if (genesis !== genesisHash)
    throw new SourceError('unavailable', `A provider of ${network.id} serves chain ${String(genesis)}.`, {
      wrongChain: true,
    });
  for (const [position, [, token]] of tokens.entries()) requireMint(network, token, accounts[position]);
  const config = { commitment: 'confirmed', limit: 1, minContextSlot: FAR_FUTURE_SLOT };
  const [future] = await provider.askEach([{ method: 'getSignaturesForAddress', params: [SYSTEM_PROGRAM, config] }]);
  provider.keepsMinContextSlot = future?.error?.code === CODES.minContextSlotNotReached;
}

export type Providers = {
  names: readonly string[];
  use: AskProviders<Provider>;
  readHeads: (pass: Pass, read: (provider: Provider) => Promise<AccountHeads>) => Promise<AccountHeads>;
  standing: () => readonly StandingHead[];
  refused: () => readonly RefusedProvider[];
  verify: () => Promise<void>;
};

export function createProviders(
  network: Network,
  urls: readonly string[],
  timeoutMs: number,
  monotonic: Clock,
  genesisHash = profileOf(network).genesisHash,
): Providers {
  const named = nameProviders(urls, (url): Provider => ({
    ask: (calls) => askAll(url, calls, timeoutMs),
    askEach: (calls) => askEach(url, calls, timeoutMs),
    keepsMinContextSlot: false,
  }));
  const prove = (provider: Provider) => proveProvider(network, provider, genesisHash);
  const watch = createHeadWatch(profileOf(network), monotonic);
  const refused = new Map<string, string>();
  const use = createAskProviders(named, prove, monotonic, { refused, isStanding: watch.isStanding });
  return {
    names: namesOf(named),
    use,
    readHeads: createReadHeads(use, watch, ({ confirmed }: AccountHeads) => confirmed.height),
    standing: watch.standing,
    refused: () => [...refused].map(([provider, reason]) => ({ provider, reason })),
    verify: () => use('first', async () => {}),
  };
}
