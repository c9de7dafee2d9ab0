import pg from 'pg';
import { readOperatorConfig } from './config.ts';
import { migrate } from './db/migrate.ts';
import { ensurePartitions } from './db/partition-store.ts';
import { systemClock } from './lib/clock.ts';
import { createLog } from './lib/log.ts';

/** Brings the database to the schema of this version and makes the partitions of the coming months. */

const { databaseUrl } = readOperatorConfig();
const log = createLog('info');
const applied = await migrate(databaseUrl, (line) => log.info(line));
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
await ensurePartitions(client, new Date(systemClock.nowMs()));
await client.end();
log.info({ applied }, 'schema is current');
