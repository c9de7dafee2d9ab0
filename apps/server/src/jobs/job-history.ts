/**
 * Which version of the job tables each version supports: pg-boss of all versions from `since` on, up to the next row. A
 * version is the number of the newest migration that it knows, so an upgrade of pg-boss that changes `JOB_SCHEMA_VERSION`
 * adds a migration (one that holds only comments is enough) and a row here. Rows are never changed.
 */
export const JOB_HISTORY: readonly { since: number; jobs: number }[] = [{ since: 33, jobs: 43 }];

/** The first version that runs with jobs off where it does not support the job tables; earlier ones do not start. */
export const JOBS_OFF_SINCE = 60;

/** Version of the job tables that a version supports; undefined for a version without jobs. */
export function jobVersionOf(version: number): number | undefined {
  return JOB_HISTORY.findLast(({ since }) => since <= version)?.jobs;
}
