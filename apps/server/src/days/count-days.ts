import { formatDecimal, requireDecimal } from '@counterfoil/core/amount.ts';
import { HOUR_MS } from '@counterfoil/core/duration.ts';
import { USD_DECIMALS } from '@counterfoil/core/usd.ts';
import type { Context } from '../db/context.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import type { Completions, StoreDay, StoreDayKey } from './days-sql.ts';
import {
  countCompleted,
  countCreated,
  countExpired,
  deleteStoreDays,
  findInvoiceFrom,
  findNewestInvoiceId,
  listStoreDayKeys,
  lockCounting,
  readCountedDays,
  saveCountedDay,
  saveStoreDays,
} from './days-sql.ts';
import { findIdAt, SLACK_MS } from './id-of-time.ts';
import { addCounts } from './histogram.ts';
import { addDays, dayOf, findDueDay, startOfDay } from './store-day.ts';

const HOURS_PER_DAY = 24;
/** Invoices per statement. */
const IDS_PER_STATEMENT = 50_000n;
const ROWS_PER_STATEMENT = 1_000;
/** At most three counted days are open. */
const LOOKED_AT = 10;

type CountContext = Context & {
  /** Measures the duration of a count. */
  steady: Clock;
};

const keyOf = ({ storeId, network, token }: StoreDayKey) => JSON.stringify([String(storeId), network, token]);

type Figures = { of: (storeId: bigint, network?: string, token?: string) => StoreDay; all: () => StoreDay[] };

function createFigures(): Figures {
  const days = new Map<string, StoreDay>();
  return {
    of: (storeId, network = '', token = '') => {
      const key = keyOf({ storeId, network, token });
      const day = days.get(key) ?? {
        storeId,
        network,
        token,
        created: 0,
        completed: 0,
        expired: 0,
        cancelled: 0,
        late: 0,
        volumeUsd: '0',
        feeMicroUsd: 0n,
        detectCounts: addCounts([]),
        finalCounts: addCounts([]),
      };
      days.set(key, day);
      return day;
    },
    all: () => [...days.values()],
  };
}

/** Exact sum of USD amounts, without trailing zeros. */
const addUsd = (one: string, other: string) =>
  formatDecimal(requireDecimal(one, USD_DECIMALS) + requireDecimal(other, USD_DECIMALS), USD_DECIMALS);

function addCompletions(day: StoreDay, found: Completions): void {
  day.completed += found.completed;
  day.late += found.late;
  day.volumeUsd = addUsd(day.volumeUsd, found.volumeUsd);
  day.feeMicroUsd += found.feeMicroUsd;
  day.detectCounts = addCounts([day.detectCounts, found.detectCounts]);
  day.finalCounts = addCounts([day.finalCounts, found.finalCounts]);
}

async function countDay(tx: Tx, day: string): Promise<StoreDay[]> {
  const startMs = startOfDay(day);
  const endMs = startOfDay(addDays(day, 1));
  const figures = createFigures();
  const newestId = await findNewestInvoiceId(tx);
  const idAt = (atMs: number) => findIdAt(newestId, (id) => findInvoiceFrom(tx, id), atMs);
  const firstId = await idAt(startMs - SLACK_MS);
  const endId = await idAt(endMs + SLACK_MS);
  const times = { from: new Date(startMs), to: new Date(endMs) };
  for (let fromId = firstId; fromId < endId; fromId += IDS_PER_STATEMENT) {
    const toId = fromId + IDS_PER_STATEMENT < endId ? fromId + IDS_PER_STATEMENT : endId;
    for (const { storeId, count } of await countCreated(tx, times, { fromId, toId }))
      figures.of(storeId).created += count;
  }
  for (let hour = 0; hour < HOURS_PER_DAY; hour += 1) {
    const from = new Date(startMs + hour * HOUR_MS);
    const to = new Date(from.getTime() + HOUR_MS);
    for (const { storeId, expired, cancelled } of await countExpired(tx, { from, to })) {
      figures.of(storeId).expired += expired;
      figures.of(storeId).cancelled += cancelled;
    }
    for (const found of await countCompleted(tx, { from, to }))
      addCompletions(figures.of(found.storeId, found.network, found.token), found);
  }
  return figures.all();
}

/** Saves a day's rows, and removes those without invoices. */
async function saveDay(tx: Tx, day: string, days: readonly StoreDay[]): Promise<void> {
  for (let place = 0; place < days.length; place += ROWS_PER_STATEMENT)
    await saveStoreDays(tx, day, days.slice(place, place + ROWS_PER_STATEMENT));
  const counted = new Set(days.map(keyOf));
  const empty = (await listStoreDayKeys(tx, day)).filter((key) => !counted.has(keyOf(key)));
  for (let place = 0; place < empty.length; place += ROWS_PER_STATEMENT)
    await deleteStoreDays(tx, day, empty.slice(place, place + ROWS_PER_STATEMENT));
}

/**
 * Counts one due day; returns whether another may be due immediately. Rows are recomputed and overwritten, so nothing
 * is counted twice; one worker counts at a time, so no older count overwrites a newer one.
 */
export async function countDays({ database, clock, steady }: CountContext): Promise<boolean> {
  return inTransaction(database, async (tx) => {
    if (!(await lockCounting(tx))) return false;
    const nowMs = clock.nowMs();
    const first = await findInvoiceFrom(tx, 0n);
    const firstDay = first && dayOf(first.at.getTime());
    const due = findDueDay({ nowMs, counted: await readCountedDays(tx, dayOf(nowMs), LOOKED_AT), firstDay });
    if (!due) return false;
    const beganMs = steady.nowMs();
    await saveDay(tx, due.day, await countDay(tx, due.day));
    const tookMs = Math.ceil(steady.nowMs() - beganMs);
    await saveCountedDay(tx, { day: due.day, at: new Date(nowMs), tookMs, closes: due.closes });
    return true;
  });
}
