import type pg from 'pg';
import { isDatabaseError } from '../db/database.ts';
import type { Finding } from './finding.ts';
import { fine, reasonOf, wrong } from './finding.ts';
import { readWritingFacts } from './doctor-sql.ts';
import { judgeArchiving } from './judge-archiving.ts';
import { judgeDurability } from './judge-durability.ts';
import { judgeSlots } from './judge-slots.ts';
import { judgeStandbys } from './judge-standbys.ts';
import { judgeWriting } from './judge-writing.ts';
import {
  listSlots,
  proveCommit,
  proveDisk,
  readArchivingFacts,
  readDurabilityFacts,
  readEncoding,
  readStandbyFacts,
} from './server-sql.ts';

/** Examines the database server, independent of schema and contents. */

const ENCODING = 'UTF8';
const DISK_FULL = '53100';
const MEND_DISK =
  'Find out what fills it: the write-ahead log, where archiving fails or a replication slot is dead, or tables. Enlarge the disk or free space beside the database; delete nothing in pg_wal. See docs/operations/incidents.md#the-disk-of-the-database-is-full.';

async function examineEncoding(pool: pg.Pool): Promise<Finding> {
  const encoding = await readEncoding(pool);
  return encoding === ENCODING
    ? fine('encoding', 'The database stores text as UTF-8.')
    : wrong(
        'encoding',
        `The database stores text as ${encoding}: names of customers and merchants are refused or damaged.`,
        'Make a database with createdb -E UTF8 -T template0 and restore into it; the migration refuses this one.',
      );
}

/** Checks that a commit ends. Skipped where it could only hang. */
async function examineWriting(pool: pg.Pool): Promise<Finding[]> {
  const writing = judgeWriting(await readWritingFacts(pool));
  const standbys = judgeStandbys(await readStandbyFacts(pool));
  if (writing.state !== 'fine' || standbys.state !== 'fine') return [writing, standbys];
  try {
    if (await proveCommit(pool)) return [writing, standbys];
  } catch (cause) {
    const isFull = isDatabaseError(cause, DISK_FULL);
    const mend = isFull ? MEND_DISK : "Read the database server's log.";
    return [wrong('writing', `The database takes no writes: ${reasonOf(cause)}`, mend), standbys];
  }
  return [
    writing,
    wrong(
      'synchronous standby',
      'A standby that must confirm commits is connected and confirmed none for ten seconds: every write hangs.',
      'Look at the standby: its disk, its log and pg_stat_replication; or take it out of synchronous_standby_names and reload.',
    ),
  ];
}

async function examineDatabaseDisk(pool: pg.Pool): Promise<Finding> {
  try {
    await proveDisk(pool);
    return fine('database disk', 'The disk of the database takes data.');
  } catch (cause) {
    if (!isDatabaseError(cause, DISK_FULL)) throw cause;
    return wrong(
      'database disk',
      `The disk of the database is full: ${reasonOf(cause)}. Invoices, payments and webhooks wait.`,
      MEND_DISK,
    );
  }
}

export const SERVER_EXAMINATIONS: Record<string, (pool: pg.Pool) => Promise<Finding | Finding[]>> = {
  encoding: examineEncoding,
  durability: async (pool) => judgeDurability(await readDurabilityFacts(pool)),
  archiving: async (pool) => judgeArchiving(await readArchivingFacts(pool)),
  'replication slots': async (pool) => judgeSlots(await listSlots(pool)),
  writing: examineWriting,
  'database disk': examineDatabaseDisk,
};
