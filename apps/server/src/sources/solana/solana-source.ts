import { remember } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import { steadyClock } from '../../lib/clock.ts';
import type { Network } from '../../networks/network.ts';
import { profileOf } from '../../networks/profile.ts';
import type { AccountSource } from '../account-source.ts';
import { deriveTokenAccount } from './derive-token-account.ts';
import type { SolanaContext } from './read-account.ts';
import { readAccount, readSingleTransactions } from './read-account.ts';
import { readFingerprints } from './read-fingerprints.ts';
import { tokensByMint } from './solana-decode.ts';
import { createProviders } from './solana-providers.ts';
import { TIMEOUT_MS } from './solana-rpc.ts';
import { findPositionBefore, readHeads } from './solana-time.ts';

/** The adapter of Solana, read by account: a wallet and its token accounts of listed tokens. */

const MAX_CACHED_WALLETS = 20_000;

export type SolanaSource = AccountSource & {
  fingerprints: (accounts: readonly string[]) => Promise<Map<string, string>>;
};

function createAddressesOf(network: Network): (wallet: string) => string[] {
  const mints = [...tokensByMint(network).keys()];
  const derive = (wallet: string) => [wallet, ...mints.map((mint) => deriveTokenAccount(wallet, mint))];
  return remember(derive, { max: MAX_CACHED_WALLETS });
}

export function createSolanaSource(
  network: Network,
  urls: readonly string[],
  timeoutMs = TIMEOUT_MS,
  monotonic: Clock = steadyClock,
  genesisHash?: string,
): SolanaSource {
  const providers = createProviders(network, urls, timeoutMs, monotonic, genesisHash);
  const addressesOf = createAddressesOf(network);
  const context: SolanaContext = { network, providers, addressesOf, cache: new Map(), pageEnds: new Map() };
  const { blockSeconds } = profileOf(network);
  return {
    network,
    providers: providers.names,
    heads: async (pass) => {
      const { confirmed, finalized } = await providers.readHeads(pass, readHeads);
      return { confirmed, finalized };
    },
    standing: providers.standing,
    refused: providers.refused,
    positionBefore: (time, upTo, pass) =>
      providers.use(pass, (provider) => findPositionBefore(provider, time, upTo, blockSeconds)),
    readAccount: (request) => readAccount(context, request),
    readTransactions: (request) => readSingleTransactions(context, request),
    fingerprints: (accounts) => providers.use('first', (provider) => readFingerprints(provider, accounts, addressesOf)),
    verify: providers.verify,
  };
}
