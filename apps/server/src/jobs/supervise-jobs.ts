import type { Jobs } from './open-jobs.ts';

/** Returns lost jobs for a retry and removes old ones, when due for all workers together. */
export async function superviseJobs(jobs: Jobs): Promise<void> {
  const boss = await jobs.ready();
  await boss?.supervise();
}
