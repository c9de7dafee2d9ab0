import type pg from 'pg';
import { JOB_SCHEMA_VERSION } from './job.ts';
import { readJobVersion } from './job-sql.ts';

/** What `installJobs` would change. */
export async function describeJobInstallation(client: pg.ClientBase): Promise<string[]> {
  const version = await readJobVersion(client);
  if (version === undefined) return ['make the tables of jobs'];
  if (version >= JOB_SCHEMA_VERSION) return [];
  return [
    `bring the tables of jobs from version ${version} to ${JOB_SCHEMA_VERSION}: processes that know ${version} do no jobs afterwards, and what they ask for waits for newer workers`,
  ];
}
