import type { Jobs } from './open-jobs.ts';

/**
 * Gives jobs whose worker shows no sign of life back to be tried again, and removes jobs that ended long ago. Whether
 * it is time for either is decided in the database, for all workers together.
 */
export async function superviseJobs(jobs: Jobs): Promise<void> {
  const boss = await jobs.ready();
  await boss?.supervise();
}
