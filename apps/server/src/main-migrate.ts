import { inOperatorWords } from './commands/refusal-words.ts';
import { VARIABLES } from './config/environment.ts';
import { readOperatorConfig } from './config/read-operator-config.ts';
import { prepareDatabase } from './db/prepare-database.ts';
import { installJobs } from './jobs/install-jobs.ts';
import { systemClock } from './lib/clock.ts';
import { createLog } from './lib/log.ts';

/**
 * Migrates the database to the schema of this version, creates the partitions of the coming months and installs jobs.
 * With `--roles` it also creates the roles; the database user must then be able to create roles and own the database.
 */

const { databaseUrl } = readOperatorConfig(VARIABLES);
const log = createLog('info');
const applied = await inOperatorWords(() =>
  prepareDatabase(databaseUrl, {
    roles: process.argv.includes('--roles'),
    now: new Date(systemClock.nowMs()),
    installJobs,
    log: (line) => log.info(line),
  }),
);
log.info({ applied }, 'schema is current');
