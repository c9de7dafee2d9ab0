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

/** The key ring of a running process: it follows the file, and reports which keys it has. */
export type HeldRing = Required<KeyRing> & {
  /** Reads the ring file at once and reports its keys, on a signal. */
  reload(): Promise<void>;
  /** Reports the keys. Reads the file again when it lacks a key that the database knows. */
  report(): Promise<void>;
  /** Removes the report: the process ends. */
  leave(): Promise<void>;
  /** Whether the ring has any key that the database knows. */
  isUsable(): boolean;
  /** Why the ring cannot open every secret; undefined when it can. */
  fault(): Refusal | undefined;
};

type HoldOptions = {
  database: Database;
  log: Logger;
  /** A steady clock, for the time between two reads of the file. */
  clock: Clock;
  /** Reads the ring file; throws a Refusal when there is no usable ring. */
  read: () => Promise<KeyRing>;
  holder: Pick<RingHolder, 'id' | 'kind' | 'host' | 'pid'>;
};

export const REPORT_EVERY_MS = 10_000;
/** Time between reads of the file for a missing key, however many secrets ask for it. */
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

/**
 * Holds the ring of a process. Never throws for want of a ring: the process goes on without, and takes it up when it
 * appears.
 */
export function holdKeyRing({ database, log, clock, read, holder }: HoldOptions): HeldRing {
  /** The ring file as it was last read, which is what is reported. */
  let file: KeyRing = { keys: new Map() };
  /** The keys of `file`, and of earlier reads those that the database still knows: an old copy takes nothing away. */
  let ring: KeyRing = file;
  let readFault: Refusal | undefined = new Refusal('RING_NOT_READ_YET');
  let fault: Refusal | undefined = readFault;
  let held: readonly string[] = [];
  let usable = false;
  let reading: Promise<void> | undefined;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reporting = Promise.resolve();
  let left = false;

  async function readNow(): Promise<void> {
    readAtMs = clock.nowMs();
    try {
      file = await read();
      ring = { keys: new Map([...ring.keys, ...file.keys]) };
      readFault = undefined;
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      readFault = cause;
    }
  }

  function judge(known: readonly KnownKey[]): void {
    const before = fault;
    ring = { keys: new Map([...ring.keys].filter(([id]) => file.keys.has(id) || known.some((key) => key.id === id))) };
    held = known.filter((key) => keyStateOf(file, key) === 'held').map((key) => key.id);
    usable = known.some((key) => keyStateOf(ring, key) === 'held');
    fault = readFault ?? faultOf(file, known);
    if (fault?.message !== before?.message) tellFault(log, fault, held);
  }

  async function checkAndReport(): Promise<void> {
    if (left) return;
    const known = await readKnownKeys(database.queries);
    if (readFault !== undefined || known.some((key) => keyStateOf(file, key) !== 'held')) await readNow();
    judge(known);
    await reportHolder(database.queries, { ...holder, keyIds: held, fault: fault?.message ?? null });
  }

  /** Reports one after the other, so that the latest report is what was read last. */
  function report(): Promise<void> {
    const next = reporting.then(checkAndReport);
    reporting = next.catch(() => {});
    return next;
  }

  return {
    get keys() {
      return ring.keys;
    },
    readAgain: () => {
      if (reading === undefined && clock.nowMs() - readAtMs < READ_EVERY_MS) return Promise.resolve();
      reading ??= readNow().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    reload: async () => {
      await readNow();
      await report();
      log.info({ keys: held, fault: fault?.message }, 'key ring was read again');
    },
    report,
    leave: async () => {
      left = true;
      await reporting;
      await forgetHolder(database.queries, holder.id);
    },
    isUsable: () => usable,
    fault: () => fault,
  };
}
