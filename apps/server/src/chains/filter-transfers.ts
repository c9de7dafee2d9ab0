import type { Network } from '../networks/network.ts';
import { findToken } from '../networks/network.ts';
import type { BlockRef, ChainTransfer, StoredTransfer } from '../sources/transfer.ts';
import type { Pass } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { Follower, Following, Watch } from './follower.ts';
import { readWatched, readWatchVersion } from './watch-sql.ts';

/** No quote is so small, and bots send stablecoin dust by the thousand. */
const DUST_CENTS = 10n;

/** The version comes first: if a wallet is added in between, the old version makes a commit notice. */
export async function loadWatch(follower: Follower): Promise<Watch> {
  const { network } = follower.source;
  const version = await readWatchVersion(follower.database.queries, network.id);
  const watch = createWatch(network, version, await readWatched(follower.database.queries, network.id));
  follower.memory.watch = watch;
  return watch;
}

/** May be too old: a commit compares its version. */
export async function currentWatch(follower: Follower): Promise<Watch> {
  return follower.memory.watch ?? loadWatch(follower);
}

export function createWatch(network: Network, version: bigint, addresses: readonly string[]): Watch {
  const fold = comparableAddress(network);
  return { version, addresses: new Map(addresses.map((address) => [fold(address), address])) };
}

/** Formats a network's addresses for comparison. */
export function comparableAddress(network: Network): (address: string) => string {
  return network.family === 'evm' ? (address) => address.toLowerCase() : (address) => address;
}

export function isDust(network: Network, transfer: ChainTransfer): boolean {
  const token = findToken(network, transfer.token);
  return token?.stable === true && transfer.units * 100n < DUST_CENTS * 10n ** BigInt(token.decimals);
}

/**
 * Transfers to watched addresses, and to `known` ones, which were watched when their range was first read. Drops those
 * without effect (zero, or to the sender); counts dust.
 */
export function filterTransfers(
  network: Network,
  watch: Watch,
  transfers: readonly ChainTransfer[],
  known: readonly string[] = [],
): { watched: ChainTransfer[]; dust: number } {
  const fold = comparableAddress(network);
  const before = new Map(known.map((address) => [fold(address), address]));
  const watched: ChainTransfer[] = [];
  let dust = 0;
  for (const transfer of transfers) {
    const to = watch.addresses.get(transfer.to) ?? before.get(transfer.to);
    if (to === undefined || transfer.units === 0n || transfer.from === transfer.to) continue;
    if (isDust(network, transfer)) dust += 1;
    else watched.push({ ...transfer, to });
  }
  return { watched, dust };
}

/** Adds block times; drops transfers of failed transactions. */
export async function placeTransfers(
  follower: Pick<Following, 'source'>,
  watched: readonly ChainTransfer[],
  blocks: readonly BlockRef[],
  pass: Pass,
): Promise<StoredTransfer[]> {
  const known = new Map(blocks.map((block) => [block.height, block]));
  const confirmed = await follower.source.confirm(watched, pass);
  const placed: StoredTransfer[] = [];
  for (const transfer of confirmed) {
    const block = known.get(transfer.height) ?? (await follower.source.blockAt(transfer.height, pass));
    if (block?.hash !== transfer.blockHash) {
      throw new SourceError('inconsistent', `The block of ${transfer.txId} is not the one at its height.`);
    }
    known.set(block.height, block);
    placed.push({ ...transfer, blockTime: block.time });
  }
  return placed;
}
