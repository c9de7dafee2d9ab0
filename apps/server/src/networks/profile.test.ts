import { describe, expect, test } from 'vitest';
import type { ClientRefusals } from './client-refusals.ts';
import { wordRefusal } from './client-refusals.ts';
import { CHAIN_NETWORKS } from './chain-networks.ts';
import { findToken } from './network.ts';
import type { NetworkProfile } from './profile.ts';
import { PROFILES, profileOf } from './profile.ts';

const MEASURED_ON = '2026-11-15';
/** Tolerance, because the distance in seconds is the middle of the distances in blocks. */
const ROUNDING_SECONDS = 2;

const all = CHAIN_NETWORKS.map((network) => ({ network, symbol: network.id, profile: profileOf(network) }));
const byName = Object.entries(PROFILES);

type Limit = keyof Pick<ClientRefusals, 'calls' | 'bytes' | 'range' | 'results'>;
const LIMITS: [limit: Limit, of: (profile: NetworkProfile) => number | null][] = [
  ['calls', (profile) => profile.batchMaxCalls],
  ['bytes', (profile) => profile.batchMaxBytes],
  ['range', (profile) => profile.logsMaxRange],
  ['results', (profile) => profile.logsMaxResults],
];

/** Facts that are neither measured nor documented, by network. */
const UNKNOWN: Record<string, string[]> = {
  BSC: ['logsLagBlocksSeen'],
  ETH: [],
  TRC20: ['finalizedStallSecondsSeen', 'reorgDepthSeen', 'clockDriftSeconds'],
  SOL: ['finalizedStallSecondsSeen', 'logsLagBlocksSeen', 'logsByHash', 'refusals.calls'],
  POLYGON: [],
  ARBITRUM: ['finalizedStallSecondsSeen', 'logsLagBlocksSeen', 'refusals.finalized'],
  OPTIMISM: ['finalizedStallSecondsSeen', 'reorgDepthSeen'],
  BASE: [],
  AVAX: [
    'timesRepeat',
    'finalizedStallSecondsSeen',
    'logsLagBlocksSeen',
    'clockDriftSeconds',
    'refusals.beyondHead',
    'refusals.finalized',
  ],
};

function unknownsOf(value: object, path = ''): string[] {
  return Object.entries(value).flatMap(([key, one]) => {
    if (one === 'unknown') return [`${path}${key}`];
    const nested = typeof one === 'object' && one !== null && !Array.isArray(one);
    return nested ? unknownsOf(one as object, `${path}${key}.`) : [];
  });
}

describe('profiles', () => {
  test('every network has a profile, and every profile is of a network', () => {
    expect(Object.keys(PROFILES).sort()).toEqual(CHAIN_NETWORKS.map(({ id }) => id).sort());
    expect(() => profileOf({ id: 'DOGE' })).toThrow('DOGE has no profile.');
  });

  test('every profile names the day of its facts', () => {
    for (const [, profile] of byName) expect(profile.asOf).toBe(MEASURED_ON);
  });

  test.each(byName)('%s: values of its profile that nobody has seen are unknown, and no others', (symbol, profile) => {
    expect(unknownsOf(profile).sort()).toEqual(UNKNOWN[symbol]?.toSorted());
  });

  test.each(byName)('%s: the lags of its profile in blocks and in seconds agree', (_symbol, profile) => {
    const { least, most } = profile.finalizedLagBlocks;
    expect(least).toBeLessThanOrEqual(most);
    expect(profile.finalizedLagSeconds).toBeGreaterThanOrEqual(least * profile.blockSeconds - ROUNDING_SECONDS);
    expect(profile.finalizedLagSeconds).toBeLessThanOrEqual(most * profile.blockSeconds + ROUNDING_SECONDS);
  });

  test.each(byName)(
    '%s: a tag that is served is never further behind than the final one',
    (_symbol, { safe, ...profile }) => {
      if (safe === null || 'refusal' in safe) return;
      expect(safe.lagSeconds).toBeLessThanOrEqual(safe.lagSecondsMost);
      expect(safe.lagSecondsMost).toBeLessThanOrEqual(profile.finalizedLagSeconds);
    },
  );

  test.each(byName)('%s: a limit has its refusal, and a refusal has its limit', (symbol, profile) => {
    // Solana pages long answers instead of refusing them.
    const limits = symbol === 'SOL' ? LIMITS.slice(0, 1) : LIMITS;
    for (const [limit, of] of limits) {
      expect([limit, profile.refusals[limit] !== null]).toEqual([limit, of(profile) !== null]);
    }
  });

  test('blocks of less than a second share their times', () => {
    const quick = byName.filter(([, { blockSeconds }]) => blockSeconds < 1);
    expect(quick.filter(([, { timesRepeat }]) => timesRepeat !== true)).toEqual([]);
  });

  test('a token that is never quiet is one of the network', () => {
    for (const { network, profile } of all) {
      for (const token of profile.busyTokens) expect(findToken(network, token)?.stable).toBe(true);
    }
  });

  test('every network has another block 0', () => {
    const hashes = byName.map(([, { genesisHash }]) => genesisHash);
    expect(new Set(hashes).size).toBe(hashes.length);
    for (const { network, profile } of all) {
      const shape = { evm: /^0x[0-9a-f]{64}$/, tron: /^[0-9a-f]{64}$/, solana: /^[1-9A-HJ-NP-Za-km-z]{44}$/ };
      expect(profile.genesisHash).toMatch(shape[network.family]);
    }
  });

  /** Figures of each profile, written a second time from the clients' sources and the networks' own pages. */
  test.each([
    ['BSC', 0.45, 1.1, 25_000_000, 1_000, null, null],
    ['ETH', 12, 960, 25_000_000, 100, 1_000, 10_000],
    ['TRC20', 3, 57, 26_214_400, 100, 5_000, 10_000],
    ['SOL', 0.2, 6.4, null, 10, null, 1_000],
    ['POLYGON', 1.5, 4, 25_000_000, 100, null, null],
    ['ARBITRUM', 0.25, 1_000, 10_000_000, 1_000, null, null],
    ['OPTIMISM', 2, 1_500, 160_000_000, null, 100_000, 20_000],
    ['BASE', 0.2, 1_200, 160_000_000, null, 100_000, 20_000],
    ['AVAX', 1.5, 6, 25_000_000, 1_000, null, null],
  ])('%s: pace and limits are the ones that were read', (symbol, block, final, bytes, calls, range, results) => {
    expect(profileOf({ id: symbol })).toMatchObject({
      blockSeconds: block,
      finalizedLagSeconds: final,
      batchMaxBytes: bytes,
      batchMaxCalls: calls,
      logsMaxRange: range,
      logsMaxResults: results,
    });
  });
});

describe('words of refusals', () => {
  test('the words of a refusal get their numbers, and a placeholder without one stays visible', () => {
    const refusal = {
      code: -32_000,
      message: 'batch limit {limit} exceeded: {given} requests given',
      form: 'whole' as const,
    };
    expect(wordRefusal(refusal, { limit: 100, given: 101 })).toBe('batch limit 100 exceeded: 101 requests given');
    expect(wordRefusal(refusal, { limit: 100 })).toBe('batch limit 100 exceeded: {given} requests given');
  });
});
