export type Commit = { hash: string; migrations: number };

/** Chooses the newest of these commits (newest first) that has fewer migrations than the present tree. Pure. */
export function chooseEarlier(commits: readonly Commit[], today: number, shallow: boolean): Commit {
  const found = commits.find(({ migrations }) => migrations > 0 && migrations < today);
  if (found) return found;
  throw new Error(
    shallow
      ? `This clone is too shallow: none of its ${commits.length} commits has fewer than ${today} migrations. Fetch the whole history.`
      : `None of ${commits.length} commits has fewer than ${today} migrations.`,
  );
}
