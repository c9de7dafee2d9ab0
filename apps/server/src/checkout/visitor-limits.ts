import type { ClientNetwork, Surroundings } from '../lib/client-address.ts';
import type { Clock } from '../lib/clock.ts';
import { createKnownVisitors } from './known-visitors.ts';
import type { VisitCounts } from './visit-counts.ts';
import { createVisitCounts } from './visit-counts.ts';

/**
 * Visitors' requests per minute, counted in this process (docs/decisions/0011-checkout-folder.md). An existing invoice
 * is never refused because of unknown codes or a full table, and strangers at an invoice never get a known visitor
 * refused.
 */

export const VISITOR_LIMITS = {
  /** Pages, states and streams. Many phones share a carrier's IP address. */
  read: { address: 3_000, visitor: 300, newcomers: 600 },
  select: { address: 120, visitor: 20, newcomers: 20 },
  /** Lowest, because a check may cost several calls to nodes. */
  check: { address: 20, visitor: 6, newcomers: 6 },
} as const;

/** Reserve for new visitors when an invoice's common limit is used up, by site, by block and in total. */
export const RESERVED = {
  read: { site: 20, block: 200, all: 3_000 },
  select: { site: 4, block: 20, all: 100 },
  check: { site: 2, block: 6, all: 30 },
} as const satisfies Record<keyof typeof VISITOR_LIMITS, Record<keyof Surroundings | 'all', number>>;

/** Codes without an invoice per IP address. */
export const UNKNOWN_LIMIT = 60;

export type Visit = keyof typeof VISITOR_LIMITS;

/** Factors by prefix length: a wider network may send more than one address, but less than all of its addresses. */
export const NETWORK_FACTORS: Record<ClientNetwork['bits'], number> = { 32: 1, 64: 1, 56: 4, 48: 16 };

/** The networks that count as one client, and those around them. */
type Visitor = { client: readonly ClientNetwork[]; around: Surroundings };

/** `known`: the visitor was at this invoice before. */
type Admission = 'known' | 'new' | 'refused';

export type VisitorLimits = {
  admitUnknown(client: readonly ClientNetwork[]): boolean;
  admit(visit: Visit, visitor: Visitor, invoice: string): Admission;
  /** Counts a request for an asset; false above the limit. */
  admitAsset(client: readonly ClientNetwork[]): boolean;
  /** Checks a visit's limits without counting it, before the database is read. */
  isOver(visit: Visit, client: readonly ClientNetwork[], invoice: string): boolean;
};

/** Most names in each table of counts. */
const MAX_NAMES = 50_000;
/** Limit of unknown codes outside the full table, as a multiple of one address's limit. */
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

  /** What a new visitor counts by: the common limit, or the reserve of their network. */
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
