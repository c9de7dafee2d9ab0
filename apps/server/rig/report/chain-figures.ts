import { CHAIN_NETWORKS } from '../../src/networks/chain-networks.ts';
import type { NetworkProfile } from '../../src/networks/profile.ts';
import { profileOf } from '../../src/networks/profile.ts';
import type { Faults } from './faults.ts';

/** Figures of the chain drill, per network and in total, and their limits. */

const KEYS = [
  'payments',
  'completed',
  'lost',
  'double',
  'false_expiries',
  'unexpired',
  'expiry_lag_p99_s',
  'stuck_processing',
  'ledger_imbalance',
  'events_missing',
  'events_double',
  'deaths',
  'reorgs',
  'stale_answers',
  'networks',
  'index_lag_faults',
  'phantom_faults',
  'limit_refusals',
  'frozen_heads',
  'slow_clocks',
  'duplicate_logs',
  'common_holes',
  'silent_lines',
  'unexplained',
] as const;
export type Key = (typeof KEYS)[number];
export type Figures = Record<Key, number>;

/** Figures of one part of the drill: by network, and figures that belong to no network. */
export type PartFigures = {
  networks: Record<string, Partial<Figures>>;
  shared: Partial<Figures>;
  more?: Record<string, number>;
};

/** Figures that must always be zero. */
const ZEROS: readonly Key[] = [
  'lost',
  'double',
  'false_expiries',
  'unexpired',
  'stuck_processing',
  'ledger_imbalance',
  'events_missing',
  'events_double',
  'unexplained',
];

/** Joins the figures of several parts of the drill: the largest value of times, the sum of all other figures. */
function join(key: Key, values: readonly number[]): number {
  if (key === 'expiry_lag_p99_s') return Math.max(0, ...values);
  return values.reduce((sum, value) => sum + value, 0);
}

function joinAll(parts: readonly Partial<Figures>[]): Figures {
  const joined = KEYS.map((key) => [
    key,
    join(
      key,
      parts.flatMap((one) => one[key] ?? []),
    ),
  ]);
  return Object.fromEntries(joined) as Figures;
}

export type Totals = { all: Figures; networks: Record<string, Figures>; more: Record<string, number> };

export function addUp(parts: readonly PartFigures[]): Totals {
  const symbols = CHAIN_NETWORKS.map(({ id }) => id).filter((symbol) => parts.some(({ networks }) => networks[symbol]));
  const networks = Object.fromEntries(
    symbols.map((symbol) => {
      const own = joinAll(parts.map((part) => part.networks[symbol] ?? {}));
      return [symbol, { ...own, networks: own.payments > 0 ? 1 : 0 }];
    }),
  );
  return {
    networks,
    all: joinAll([...Object.values(networks), ...parts.map(({ shared }) => shared)]),
    more: Object.assign({}, ...parts.map((part) => part.more ?? {})) as Record<string, number>,
  };
}

const CELL = 11;
const LABEL = 18;

/** The figures as lines of a table, a column for each network. */
export function describeTotals({ all, networks }: Totals): string[] {
  const symbols = Object.keys(networks);
  const head = [''.padEnd(LABEL), ...[...symbols, 'all'].map((text) => text.padStart(CELL))].join('');
  const rows = KEYS.map((key) => {
    const cells = [...symbols.map((symbol) => networks[symbol]?.[key] ?? 0), all[key]];
    return key.padEnd(LABEL) + cells.map((cell) => String(cell).padStart(CELL)).join('');
  });
  return [head, ...rows];
}

/** Whether the network's profile names the fault of this figure. */
function namesFault(profile: NetworkProfile, key: Key): boolean {
  const { logsLagBlocksSeen, unexecutedSeconds, refusals } = profile;
  const behind = typeof logsLagBlocksSeen === 'number' || logsLagBlocksSeen === 'forever';
  const limited = [refusals.bytes, refusals.results].some((refusal) => refusal !== null && refusal !== 'unknown');
  const named: Partial<Record<Key, boolean>> = {
    index_lag_faults: behind || unexecutedSeconds > 0,
    // Phantoms are named by the same field of the profile, because a log index that lags may show only some logs of a
    // transaction, which gives its transfers wrong numbers.
    phantom_faults: behind,
    limit_refusals: limited,
    // Any node can stop at a block, and any chain can halt. Logs are listed twice where there are logs, which is where there are receipts.
    frozen_heads: true,
    slow_clocks: true,
    duplicate_logs: profile.blockReceipts !== null,
    common_holes: profile.blockReceipts !== null,
  };
  return named[key] ?? false;
}

export type Promised = {
  /** Faults that must have occurred, in total and on each network whose profile names them. */
  faults: readonly Key[];
  payments: { each: number; all: number };
};

/** Promised faults and payments that did not occur: a drill without them has proven nothing. */
function findUnkept({ all, networks }: Totals, { faults, payments }: Promised): string[] {
  const missing = faults.flatMap((key) => [
    ...(all[key] === 0 ? [`${key} is 0: the fault did not occur`] : []),
    ...Object.entries(networks)
      .filter(([symbol, own]) => own[key] === 0 && namesFault(profileOf({ id: symbol }), key))
      .map(([symbol]) => `${key} is 0 on ${symbol}, whose profile names the fault`),
  ]);
  const few = Object.entries(networks)
    .filter(([, own]) => own.payments < payments.each)
    .map(([symbol, own]) => `${symbol} saw ${own.payments} payments of ${payments.each}`);
  const fewer = all.payments < payments.all ? [`there were ${all.payments} payments of ${payments.all}`] : [];
  return [...missing, ...few, ...fewer];
}

/** Reasons why the drill fails; empty when it passes. */
export function judgeTotals(totals: Totals, promised: Promised, faults: Faults): string[] {
  const wrong = ZEROS.filter((key) => totals.all[key] !== 0).map((key) => `${key} is ${totals.all[key]}`);
  const more = faults.all().length > 0 ? [`${faults.all().length} faults`] : [];
  return [...wrong, ...more, ...findUnkept(totals, promised)];
}
