import { seededNumbers } from '../../rig/fakes/seeded-numbers.ts';
import type { BenchOwner } from './site.ts';
import { hashOf, payerOf, requestIdOf, transIdOf } from './seed.ts';

/**
 * Requests of people who use the dashboard, drawn at random: first pages, deep pages, pages that a filter leaves empty,
 * and pages of a merchant who has nothing yet.
 */

export const KINDS = ['list', 'search', 'home', 'timeline', 'deliveries', 'inbox', 'statement'] as const;
export type Kind = (typeof KINDS)[number];

type Drawn = {
  /** A number of an invoice of the large store. */
  number: number;
  one: <Item>(items: readonly Item[]) => Item;
  /** The last page's cursor of this kind of list; undefined at the beginning. */
  next: string | undefined;
};

const SECONDS_PER_DAY = 86_400;
const DAYS = 180;

const STATUSES = ['waiting', 'processing', 'completed', 'expired', 'late'];

/** Filters of lists of invoices; the last ones are met by no invoice. */
function listQuery({ number, one, next }: Drawn, nowSeconds: number): string {
  const day = nowSeconds - (number % DAYS) * SECONDS_PER_DAY;
  return one([
    '',
    next === undefined ? '' : `after=${next}`,
    `after=${transIdOf(number)}`,
    `status=${one(STATUSES)}`,
    `status=${one(STATUSES)}&after=${transIdOf(number)}`,
    'callback=failed',
    `from=${day}&to=${day + SECONDS_PER_DAY}`,
    `from=${day}&to=${day + SECONDS_PER_DAY}&status=expired`,
    `min_amount=${number % 500}&max_amount=${(number % 500) + 1}`,
    'network=BSC&token=BNB',
    `token=USDC&after=${transIdOf(number)}`,
    'network=SOL',
    'min_amount=900000',
    'status=late&token=BNB&min_amount=900000',
  ]);
}

function searchFor({ number, one }: Drawn): string {
  return one([
    transIdOf(number),
    hashOf(number),
    payerOf(number),
    requestIdOf(number),
    `order-${String(number).slice(0, 3)}`,
    `evt_S${String(number).padStart(23, '0')}`,
    'TID-ABSENT0000000000',
    'nothing like this',
    `0x${'f'.repeat(64)}`,
  ]);
}

function deliveryQuery({ number, one, next }: Drawn, nowSeconds: number): string {
  const day = nowSeconds - (number % DAYS) * SECONDS_PER_DAY;
  return one([
    '',
    next === undefined ? '' : `after=${next}`,
    `after=${number}`,
    'state=failed',
    'state=pending',
    'http=5xx',
    'http=4xx',
    'type=invoice.expired',
    'type=webhook.test',
    `from=${day}&to=${day + SECONDS_PER_DAY}`,
    `state=failed&after=${number}`,
  ]);
}

const afterNext = ({ next, one }: Drawn) => one(['', next === undefined ? '' : `after=${next}`]);

/** The path of a request of one kind. */
function pathOf(kind: Kind, drawn: Drawn, merchantId: string, nowSeconds: number): string {
  const paths: Record<Kind, () => string> = {
    list: () => `invoices?${listQuery(drawn, nowSeconds)}`,
    search: () => `search?q=${encodeURIComponent(searchFor(drawn))}`,
    home: () => 'home',
    timeline: () => `invoices/${transIdOf(drawn.number)}`,
    deliveries: () => `deliveries?${deliveryQuery(drawn, nowSeconds)}`,
    inbox: () => `unmatched?${afterNext(drawn)}`,
    statement: () => `stores/${merchantId}/statement?${afterNext(drawn)}`,
  };
  return paths[kind]();
}

export type Sampled = {
  ms: number;
  path: string;
  /** Time of a request that reads nothing but the session, sent just after. */
  plainMs: number;
};

/** Right answers: the requested data, or no such invoice at the merchant without any. */
const FINE = new Set([200, 404]);
/** One of this many requests is made by the merchant without rows. */
const EMPTY_EVERY = 20;

/** Sends requests of one kind, one after the other and from many addresses, and says how long each took. */
export async function sample(
  kind: Kind,
  count: number,
  { large, empty, largeNumbers, seed }: { large: BenchOwner; empty: BenchOwner; largeNumbers: number[]; seed: number },
): Promise<Sampled[]> {
  const draw = seededNumbers(seed);
  const one = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(draw() * items.length)];
    if (item === undefined) throw new Error('Nothing to draw from.');
    return item;
  };
  const nowSeconds = Math.floor(performance.timeOrigin / 1_000);
  const sampled: Sampled[] = [];
  let next: string | undefined;
  for (let request = 0; request < count; request += 1) {
    const owner = request % EMPTY_EVERY === EMPTY_EVERY - 1 ? empty : large;
    const path = pathOf(kind, { number: one(largeNumbers), one, next }, owner.store.merchantId, nowSeconds);
    const startedAt = performance.now();
    const address = `10.7.${(request >> 8) & 255}.${request & 255}`;
    const { status, body } = await owner.browser.send('GET', `/accounts/${owner.account}/${path}`, undefined, {
      'x-forwarded-for': address,
    });
    const answeredAt = performance.now();
    await owner.browser.send('GET', '/me', undefined, { 'x-forwarded-for': address });
    sampled.push({ ms: answeredAt - startedAt, path, plainMs: performance.now() - answeredAt });
    if (!FINE.has(status)) throw new Error(`${path} was answered ${status}: ${JSON.stringify(body)}`);
    if (owner === large && status !== 200) throw new Error(`${path} was not found.`);
    if (owner === large) next = (body.data?.['next'] as string | null) ?? undefined;
  }
  return sampled;
}
