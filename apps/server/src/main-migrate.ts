import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { inOperatorWords } from './commands/refusal-words.ts';
import { VARIABLES } from './config/environment.ts';
import { readOperatorConfig } from './config/read-operator-config.ts';
import { describePreparation } from './db/describe-preparation.ts';
import { prepareDatabase } from './db/prepare-database.ts';
import { describeJobInstallation } from './jobs/describe-job-installation.ts';
import { installJobs } from './jobs/install-jobs.ts';
import { systemClock } from './lib/clock.ts';
import { startLog } from './lib/log.ts';

/**
 * Migrates the database, creates coming partitions and installs jobs. `--roles` also creates the roles, which requires
 * a user that may create roles and owns the database. Each `--login FILE` has a process's database URL: its role can
 * log in with that password. `--plan` only shows what would change.
 */

const { values } = parseArgs({
  options: {
    roles: { type: 'boolean', default: false },
    login: { type: 'string', multiple: true, default: [] },
    plan: { type: 'boolean', default: false },
  },
});
const logins = await Promise.all(values.login.map(async (path) => (await readFile(path, 'utf8')).trim()));
const { databaseUrl } = readOperatorConfig(VARIABLES);
const { roles } = values;
if (values.plan) {
  const asked = { roles, logins, describeJobs: describeJobInstallation };
  const lines = await inOperatorWords(() => describePreparation(databaseUrl, asked));
  const rest = 'Partitions and rights, which every run makes anew, are not listed. Nothing was changed.';
  const said =
    lines.length === 0 ? ['The schema is current.'] : ['A migration would:', ...lines.map((line) => `- ${line}`)];
  process.stdout.write(`${[...said, rest].join('\n')}\n`);
} else {
  const log = startLog('migrate', 'info');
  const applied = await inOperatorWords(() =>
    prepareDatabase(databaseUrl, {
      roles,
      logins,
      now: new Date(systemClock.nowMs()),
      installJobs,
      log: (line) => log.info(line),
    }),
  );
  log.info({ applied }, 'schema is current');
}
