import { HOUR_SECONDS } from '@counterfoil/core/duration.ts';
import type { FollowedChain } from '../config/chain-settings.ts';
import type { Clock } from '../lib/clock.ts';
import { readsAccounts } from '../networks/network.ts';
import { profileOf } from '../networks/profile.ts';
import { createAccountSource, createSource } from '../sources/create-source.ts';
import type { AccountSource, ChainPosition } from '../sources/account-source.ts';
import type { ChainSource } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { Finding } from './finding.ts';
import { doubtful, fine, reasonOf, wrong } from './finding.ts';

const STALE_SECONDS = 300;
/** A node must have blocks for this long, so that an outage of this length can be read afterwards. */
const HISTORY_HOURS = 72;

/** Only the host: the rest of a node's URL may contain a key. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'an invalid address';
}

function shallow(network: string, url: string, what: string): Finding {
  return wrong(
    `node of ${network}`,
    `${hostOf(url)} does not know ${what}, ${HISTORY_HOURS} hours back: after an outage payments could not be read.`,
    'Use a node with more history, an archive node or another provider.',
  );
}

function servesAt(network: string, url: string, height: number): Finding {
  return fine(`node of ${network}`, `${hostOf(url)} serves ${network} at height ${height}.`);
}

/** Undefined when the node is in step with its network. */
function judgeHead(network: string, url: string, ageSeconds: number): Finding | undefined {
  if (ageSeconds <= STALE_SECONDS) return undefined;
  return wrong(
    `node of ${network}`,
    `The newest block of ${hostOf(url)} is ${ageSeconds} s old: the node is behind, or halted.`,
    'Wait until it has caught up, or use another provider.',
  );
}

async function examineDepth(source: ChainSource, url: string, latest: number): Promise<Finding | undefined> {
  const { network } = source;
  const back = Math.floor((HISTORY_HOURS * HOUR_SECONDS) / profileOf(network).blockSeconds);
  // A young chain, such as a local one, has no block that old.
  const height = Math.max(1, latest - back);
  const block = await source.blockAt(height, 'first').catch((cause: unknown) => cause);
  if (block !== null && !(block instanceof SourceError)) return undefined;
  return shallow(network.id, url, `block ${height}`);
}

/** Finds an old enough block by time. */
async function examineAccountDepth(
  source: AccountSource,
  url: string,
  { clock, upTo }: { clock: Clock; upTo: ChainPosition },
): Promise<Finding | undefined> {
  const time = Math.floor(clock.nowMs() / 1_000) - HISTORY_HOURS * HOUR_SECONDS;
  try {
    await source.positionBefore(time, upTo, 'first');
    return undefined;
  } catch (cause) {
    if (!(cause instanceof SourceError && cause.kind === 'unsupported')) throw cause;
    return shallow(source.network.id, url, 'any block');
  }
}

const ageOf = (time: number, clock: Clock) => Math.round(clock.nowMs() / 1_000 - time);

async function examineChainNode(chain: FollowedChain, url: string, clock: Clock): Promise<Finding> {
  const { id } = chain.network;
  const source = createSource({ ...chain, genesisHash: chain.genesisHash, urls: [url] });
  await source.verify();
  const { latest } = await source.heads('first');
  const behind = judgeHead(id, url, ageOf(latest.time, clock));
  return behind ?? (await examineDepth(source, url, latest.height)) ?? servesAt(id, url, latest.height);
}

async function examineAccountNode(chain: FollowedChain, url: string, clock: Clock): Promise<Finding> {
  const { id } = chain.network;
  const source = createAccountSource({ ...chain, genesisHash: chain.genesisHash, urls: [url] });
  await source.verify();
  const { confirmed, finalized: upTo } = await source.heads('first');
  const behind = judgeHead(id, url, ageOf(confirmed.time, clock));
  if (behind) return behind;
  // A local chain may be younger than the required history.
  const isLocal = chain.genesisHash !== undefined;
  const short = isLocal ? undefined : await examineAccountDepth(source, url, { clock, upTo });
  return short ?? servesAt(id, url, confirmed.height);
}

async function examineNode(chain: FollowedChain, url: string, clock: Clock): Promise<Finding> {
  try {
    return readsAccounts(chain.network)
      ? await examineAccountNode(chain, url, clock)
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

/** Whether two different providers are configured, so that neither is trusted alone. */
function judgeProviders({ network, urls }: FollowedChain): Finding | undefined {
  const check = `nodes of ${network.id}`;
  const name = `COUNTERFOIL_RPC_${network.id}`;
  if (urls.length === 1)
    return doubtful(
      check,
      'Only one provider is used: wrong or delayed answers are noticed late.',
      `Name a second provider in ${name}, after a comma.`,
    );
  const hosts = new Set(urls.map(hostOf));
  return hosts.size < urls.length
    ? doubtful(check, 'Two nodes have the same host: one that lies lies twice.', `Name two providers in ${name}.`)
    : undefined;
}

/** Examines every node of this environment: that it answers, serves its network, and has history. */
export async function examineNodes(chains: readonly FollowedChain[], clock: Clock): Promise<Finding[]> {
  if (chains.length === 0)
    return [doubtful('nodes', 'No node is configured: no network is followed.', 'Set COUNTERFOIL_RPC_BSC and others.')];
  const single = chains.map(judgeProviders).filter((finding) => finding !== undefined);
  const found = await Promise.all(chains.flatMap((chain) => chain.urls.map((url) => examineNode(chain, url, clock))));
  return [...single, ...found];
}
