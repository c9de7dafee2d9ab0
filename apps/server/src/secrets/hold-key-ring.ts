import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { Refusal } from '../lib/refusal.ts';
import { keyStateOf } from './key-ring-check.ts';
import type { KeyRing } from './key-ring.ts';
import type { RingHolder } from './ring-holder-sql.ts';
import { forgetHolder, reportHolder } from './ring-holder-sql.ts';
import type { KnownKey } from './ring-key-sql.ts';
import { readKnownKeys } from './ring-key-sql.ts';

/** A running process's key ring. Follows changes of the file, and reports its keys to the database. */
export type HeldRing = Required<KeyRing> & {
  reload(): Promise<void>;
  /** Reports this process's keys, reading the file again if it lacked one that the database has. */
  report(): Promise<void>;
  /** Removes this process's report when it ends. */
  leave(): Promise<void>;
  /** Whether the ring has any of the database's keys. */
  isUsable(): boolean;
  /** Why the ring cannot open every secret, if so. */
  fault(): Refusal | undefined;
};

type HoldOptions = {
  database: Database;
  log: Logger;
  /** Monotonic, for the interval between reads. */
  clock: Clock;
  read: () => Promise<KeyRing>;
  holder: Pick<RingHolder, 'id' | 'kind' | 'host' | 'pid'>;
};

export const REPORT_EVERY_MS = 10_000;
/** Minimum interval of reads for a missing key, for all secrets. */
const READ_EVERY_MS = 1_000;

function faultOf(ring: KeyRing, known: readonly KnownKey[]): Refusal | undefined {
  const wrong = known.find((key) => keyStateOf(ring, key) === 'wrong');
  if (wrong) return new Refusal('KEY_WRONG', { key: wrong.id });
  const lacking = known.find((key) => key.inUse && !ring.keys.has(key.id));
  if (lacking) return new Refusal('RING_LACKS_KEY', { key: lacking.id });
  return known.length === 0 ? new Refusal('RING_UNKNOWN_YET') : undefined;
}

function tellFault(log: Logger, fault: Refusal | undefined, keys: readonly string[]): void {
  if (!fault) log.info({ keys }, 'key ring is complete');
  else log.warn({ fault: fault.message, keys }, 'key ring cannot open every secret: webhooks that need it wait');
}

type Holding = {
  /** As last read; its keys are reported. */
  file: KeyRing;
  /** The keys of `file`, and earlier ones that the database still has: an older copy of the file removes no key. */
  ring: KeyRing;
  readAtMs: number;
  /** Why the file could not be read. */
  readFault: Refusal | undefined;
  fault: Refusal | undefined;
  /** Keys of the file that the database has. */
  held: readonly string[];
  usable: boolean;
};

function holdNothing(): Holding {
  const none: KeyRing = { keys: new Map() };
  const fault = new Refusal('RING_NOT_READ_YET');
  const readAtMs = Number.NEGATIVE_INFINITY;
  return { file: none, ring: none, readAtMs, readFault: fault, fault, held: [], usable: false };
}

async function readRingFile(holding: Holding, { clock, read }: HoldOptions): Promise<void> {
  holding.readAtMs = clock.nowMs();
  try {
    holding.file = await read();
    holding.ring = { keys: new Map([...holding.ring.keys, ...holding.file.keys]) };
    holding.readFault = undefined;
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    holding.readFault = cause;
  }
}

function judge(holding: Holding, known: readonly KnownKey[], log: Logger): void {
  const { file, fault: before } = holding;
  const isKept = (id: string) => file.keys.has(id) || known.some((key) => key.id === id);
  const ring = { keys: new Map([...holding.ring.keys].filter(([id]) => isKept(id))) };
  holding.ring = ring;
  holding.held = known.filter((key) => keyStateOf(file, key) === 'held').map((key) => key.id);
  holding.usable = known.some((key) => keyStateOf(ring, key) === 'held');
  holding.fault = holding.readFault ?? faultOf(file, known);
  if (holding.fault?.message !== before?.message) tellFault(log, holding.fault, holding.held);
}

/** Reports the file's keys, reading it again first if it lacks one that the database has. */
async function checkAndReport(holding: Holding, options: HoldOptions): Promise<void> {
  const { queries } = options.database;
  const known = await readKnownKeys(queries);
  const isComplete = known.every((key) => keyStateOf(holding.file, key) === 'held');
  if (holding.readFault !== undefined || !isComplete) await readRingFile(holding, options);
  judge(holding, known, options.log);
  await reportHolder(queries, { ...options.holder, keyIds: holding.held, fault: holding.fault?.message ?? null });
}

/** Never throws without a ring: the process continues, and uses the ring when it appears. */
export function holdKeyRing(options: HoldOptions): HeldRing {
  const { database, log, clock, holder } = options;
  const holding = holdNothing();
  let reading: Promise<void> | undefined;
  let reporting = Promise.resolve();
  let left = false;

  /** Reports one after another, so that the last one has the latest read. */
  function report(): Promise<void> {
    const next = reporting.then(async () => (left ? undefined : checkAndReport(holding, options)));
    reporting = next.catch(() => {});
    return next;
  }

  return {
    get keys() {
      return holding.ring.keys;
    },
    readAgain: () => {
      if (reading === undefined && clock.nowMs() - holding.readAtMs < READ_EVERY_MS) return Promise.resolve();
      reading ??= readRingFile(holding, options).finally(() => {
        reading = undefined;
      });
      return reading;
    },
    reload: async () => {
      await readRingFile(holding, options);
      await report();
      log.info({ keys: holding.held, fault: holding.fault?.message }, 'key ring was read again');
    },
    report,
    leave: async () => {
      left = true;
      await reporting;
      await forgetHolder(database.queries, holder.id);
    },
    isUsable: () => holding.usable,
    fault: () => holding.fault,
  };
}
