import type { FollowedChain } from '../config/chain-settings.ts';
import type { Clock } from '../lib/clock.ts';
import { readsAccounts } from '../networks/network.ts';
import { profileOf } from '../networks/profile.ts';
import { createAccountSource, createSource } from '../sources/create-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { Finding } from './finding.ts';
import { doubtful, fine, reasonOf, wrong } from './finding.ts';

/** Oldest head of a node that still counts as running with its network. */
const STALE_SECONDS = 300;
/** How far back a node must know blocks: an outage as long can be read afterwards. */
const HISTORY_HOURS = 72;
const HOUR_SECONDS = 3_600;

/** The host of a node alone: the rest of the address may hold a key. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'an invalid address';
}

async function examineDepth(source: ReturnType<typeof createSource>, latest: number): Promise<Finding | undefined> {
  const { network } = source;
  const back = Math.floor((HISTORY_HOURS * HOUR_SECONDS) / profileOf(network).blockSeconds);
  // A young chain, for example a local one, has no block that old.
  const height = Math.max(1, latest - back);
  const [name] = source.providers;
  const block = await source.blockAt(height, 'first').catch((cause: unknown) => cause);
  if (block !== null && !(block instanceof SourceError)) return undefined;
  return wrong(
    `node of ${network.id}`,
    `${name} does not know block ${height}, ${HISTORY_HOURS} hours back: after an outage payments could not be read.`,
    'Use a node with more history, an archive node or another provider.',
  );
}

async function examineChainNode(chain: FollowedChain, url: string, clock: Clock): Promise<Finding> {
  const check = `node of ${chain.network.id}`;
  const source = createSource({ ...chain, genesisHash: chain.genesisHash, urls: [url] });
  await source.verify();
  const { latest } = await source.heads('first');
  const ageSeconds = Math.round(clock.nowMs() / 1_000 - latest.time);
  if (ageSeconds > STALE_SECONDS)
    return wrong(
      check,
      `The newest block of ${hostOf(url)} is ${ageSeconds} s old: the node is behind, or halted.`,
      'Wait until it has caught up, or use another provider.',
    );
  const shallow = await examineDepth(source, latest.height);
  return shallow ?? fine(check, `${hostOf(url)} serves ${chain.network.id} at height ${latest.height}.`);
}

async function examineAccountNode(chain: FollowedChain, url: string): Promise<Finding> {
  const source = createAccountSource({ ...chain, genesisHash: chain.genesisHash, urls: [url] });
  await source.verify();
  return fine(`node of ${chain.network.id}`, `${hostOf(url)} serves ${chain.network.id}.`);
}

async function examineNode(chain: FollowedChain, url: string, clock: Clock): Promise<Finding> {
  try {
    return readsAccounts(chain.network)
      ? await examineAccountNode(chain, url)
      : await examineChainNode(chain, url, clock);
  } catch (cause) {
    const isWrongChain = cause instanceof SourceError && cause.wrongChain;
    return wrong(
      `node of ${chain.network.id}`,
      `${hostOf(url)}: ${reasonOf(cause)}`,
      isWrongChain
        ? `Set COUNTERFOIL_RPC_${chain.network.id} to a node of this network.`
        : 'Check the address, its key and its limits; the provider may be down.',
    );
  }
}

/** Judges whether two different providers are asked, so that neither is believed alone. Pure. */
function judgeProviders({ network, urls }: FollowedChain): Finding | undefined {
  const check = `nodes of ${network.id}`;
  const name = `COUNTERFOIL_RPC_${network.id}`;
  if (urls.length === 1)
    return doubtful(
      check,
      'One provider alone is believed: one that lies or lags is noticed late.',
      `Name a second provider in ${name}, after a comma.`,
    );
  const hosts = new Set(urls.map(hostOf));
  return hosts.size < urls.length
    ? doubtful(check, 'Two nodes have the same host: one that lies lies twice.', `Name two providers in ${name}.`)
    : undefined;
}

/** Examines every node of every network of this environment: that it answers, serves its network, and knows the past. */
export async function examineNodes(chains: readonly FollowedChain[], clock: Clock): Promise<Finding[]> {
  if (chains.length === 0)
    return [doubtful('nodes', 'No node is configured: no network is followed.', 'Set COUNTERFOIL_RPC_BSC and others.')];
  const single = chains.map(judgeProviders).filter((finding) => finding !== undefined);
  const found = await Promise.all(chains.flatMap((chain) => chain.urls.map((url) => examineNode(chain, url, clock))));
  return [...single, ...found];
}
