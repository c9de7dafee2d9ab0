/**
 * Job-table versions that each of our versions supports, from `since` up to the next row. Versions are numbers of
 * newest migrations, so an upgrade of pg-boss that changes `JOB_SCHEMA_VERSION` adds a migration (comments are enough)
 * and a row. Rows never change.
 */
export const JOB_HISTORY: readonly { since: number; jobs: number }[] = [{ since: 33, jobs: 43 }];

/** The first version that runs with jobs off; earlier ones do not start with unsupported job tables. */
export const JOBS_OFF_SINCE = 60;

/** Undefined for a version without jobs. */
export function jobVersionOf(version: number): number | undefined {
  return JOB_HISTORY.findLast(({ since }) => since <= version)?.jobs;
}
