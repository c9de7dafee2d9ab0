import type { ClientNetwork, Surroundings } from '../lib/client-address.ts';
import type { Clock } from '../lib/clock.ts';
import { createKnownVisitors } from './known-visitors.ts';
import type { VisitCounts } from './visit-counts.ts';
import { createVisitCounts } from './visit-counts.ts';

/**
 * How often visitors may ask in a minute, counted in this process and not in the database
 * (docs/decisions/0011-checkout-folder.md). Two rules are more important than the numbers: the code of an existing
 * invoice is never refused because of unknown codes or a full table, and what strangers do at an invoice never gets a
 * visitor refused who was there before.
 */

export const VISITOR_LIMITS = {
  /** Limit of pages, states and streams. Many phones share one IP address behind a carrier's gateway. */
  read: { address: 3_000, visitor: 300, newcomers: 600 },
  select: { address: 120, visitor: 20, newcomers: 20 },
  /**
   * Limit of checks of a transaction that a payer names: the lowest one, because a check can cost several calls to
   * nodes.
   */
  check: { address: 20, visitor: 6, newcomers: 6 },
} as const;

/**
 * What new visitors of an invoice have when strangers have used up their common limit: a part for every site, for every
 * provider's block, and for all of them. Whoever has many fresh addresses has them in few blocks.
 */
export const RESERVED = {
  read: { site: 20, block: 200, all: 3_000 },
  select: { site: 4, block: 20, all: 100 },
  check: { site: 2, block: 6, all: 30 },
} as const satisfies Record<keyof typeof VISITOR_LIMITS, Record<keyof Surroundings | 'all', number>>;

/** How many codes without an invoice one IP address may try. */
export const UNKNOWN_LIMIT = 60;

export type Visit = keyof typeof VISITOR_LIMITS;

/**
 * Factors of the limits by prefix length: a wider IPv6 network may ask more often than one address, but less often than
 * all its addresses together.
 */
export const NETWORK_FACTORS: Record<ClientNetwork['bits'], number> = { 32: 1, 64: 1, 56: 4, 48: 16 };

/** Who visits: the networks that count as one caller, and the wider networks around them. */
type Visitor = { client: readonly ClientNetwork[]; around: Surroundings };

/** Outcome of counting a visit; `known`: the visitor was at this invoice before. */
type Admission = 'known' | 'new' | 'refused';

export type VisitorLimits = {
  /** Counts a code that belongs to no invoice; false when the limit is exceeded. */
  admitUnknown(client: readonly ClientNetwork[]): boolean;
  /** Counts a visit to an invoice. */
  admit(visit: Visit, visitor: Visitor, invoice: string): Admission;
  /** Counts a request for an asset, such as a logo; false when the limit is exceeded. */
  admitAsset(client: readonly ClientNetwork[]): boolean;
  /**
   * Whether a visit is over the limits of its visitor or IP address, without counting it: asked before the database is
   * read.
   */
  isOver(visit: Visit, client: readonly ClientNetwork[], invoice: string): boolean;
};

/** The most names (of IP addresses, visitors or invoices) that each table of counts holds. */
const MAX_NAMES = 50_000;
/**
 * Limit of unknown codes for all IP addresses together that the full table of unknown codes has no place for, as a
 * multiple of one IP address's limit.
 */
const CROWD_FACTOR = 20;

type Counted = { counts: VisitCounts; name: string; limit: number };

const isOverAny = (counted: readonly Counted[]) =>
  counted.some(({ counts, name, limit }) => counts.used(name) >= limit);

function count(counted: readonly Counted[]): void {
  for (const { counts, name } of counted) counts.add(name);
}

const visitorOf = (client: readonly ClientNetwork[]) => client[0]?.name ?? '';

function ofNetworks(counts: VisitCounts, limit: number, client: readonly ClientNetwork[]): Counted[] {
  return client.map(({ bits, name }) => ({ counts, name, limit: limit * NETWORK_FACTORS[bits] }));
}

export function createVisitorLimits(clock: Clock, maxNames = MAX_NAMES): VisitorLimits {
  const table = () => createVisitCounts(clock, maxNames);
  const tables = { read: tablesOf(), select: tablesOf(), check: tablesOf() };
  const unknown = table();
  const crowd = { counts: createVisitCounts(clock, 1), name: '', limit: UNKNOWN_LIMIT * CROWD_FACTOR };
  const known = createKnownVisitors(clock);

  function tablesOf() {
    return { address: table(), visitor: table(), newcomers: table(), site: table(), block: table(), all: table() };
  }

  /** What a visitor who is new to an invoice is counted by: the common limit, or the reserved part of where they are. */
  function shareOf(visit: Visit, around: Surroundings, invoice: string): Counted[] {
    const { newcomers, site, block, all } = tables[visit];
    const common = { counts: newcomers, name: invoice, limit: VISITOR_LIMITS[visit].newcomers };
    if (!isOverAny([common])) return [common];
    const reserved = RESERVED[visit];
    return [
      { counts: site, name: `${invoice} ${around.site}`, limit: reserved.site },
      { counts: block, name: `${invoice} ${around.block}`, limit: reserved.block },
      { counts: all, name: invoice, limit: reserved.all },
    ];
  }

  const ofVisitor = (visit: Visit, client: readonly ClientNetwork[], invoice: string): Counted[] => [
    {
      counts: tables[visit].visitor,
      name: `${invoice} ${visitorOf(client)}`,
      limit: VISITOR_LIMITS[visit].visitor,
    },
    ...ofNetworks(tables[visit].address, VISITOR_LIMITS[visit].address, client),
  ];

  return {
    admitUnknown: (client) => {
      const networks = ofNetworks(unknown, UNKNOWN_LIMIT, client);
      if (isOverAny(networks)) return false;
      const crowded = unknown.isFull() && unknown.used(visitorOf(client)) === 0;
      if (crowded && isOverAny([crowd])) return false;
      count(crowded ? [crowd] : networks);
      return true;
    },
    admitAsset: (client) => {
      const networks = ofNetworks(tables.read.address, VISITOR_LIMITS.read.address, client);
      if (isOverAny(networks)) return false;
      count(networks);
      return true;
    },
    isOver: (visit, client, invoice) => isOverAny(ofVisitor(visit, client, invoice)),
    admit: (visit, { client, around }, invoice) => {
      const visitor = visitorOf(client);
      const isKnown = known.knows(invoice, visitor);
      const counted = [...ofVisitor(visit, client, invoice), ...(isKnown ? [] : shareOf(visit, around, invoice))];
      if (isOverAny(counted)) return 'refused';
      count(counted);
      known.remember(invoice, visitor, around.block);
      return isKnown ? 'known' : 'new';
    },
  };
}
