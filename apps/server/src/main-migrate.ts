import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
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
 * Each `--login FILE` names a file with the address that a process connects with: its role can log in with the password
 * that stands there.
 */

const { values } = parseArgs({
  options: { roles: { type: 'boolean', default: false }, login: { type: 'string', multiple: true, default: [] } },
});
const logins = await Promise.all(values.login.map(async (path) => (await readFile(path, 'utf8')).trim()));
const { databaseUrl } = readOperatorConfig(VARIABLES);
const log = createLog('info');
const applied = await inOperatorWords(() =>
  prepareDatabase(databaseUrl, {
    roles: values.roles,
    logins,
    now: new Date(systemClock.nowMs()),
    installJobs,
    log: (line) => log.info(line),
  }),
);
log.info({ applied }, 'schema is current');
