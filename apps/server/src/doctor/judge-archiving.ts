import type { Finding } from './finding.ts';
import { fine, wrong } from './finding.ts';

export type ArchivingFacts = {
  isOn: boolean;
  /** Whether a command or library archives files. */
  hasWay: boolean;
  failures: number;
  failedFile: string | null;
  failedAt: Date | null;
  archivedAt: Date | null;
};

const CHECK = 'archiving';

/** Whether the write-ahead log reaches its archive. Only the newest attempt counts: files are archived in order. */
export function judgeArchiving({ isOn, hasWay, failures, failedFile, failedAt, archivedAt }: ArchivingFacts): Finding {
  if (!isOn) return fine(CHECK, 'The server does not archive its write-ahead log.');
  if (!hasWay)
    return wrong(
      CHECK,
      'archive_mode is on and archive_command is empty: the write-ahead log is kept until the disk is full.',
      'Set archive_command and reload the server. Where another tool takes backups, set archive_mode to off and restart it.',
    );
  if (failedAt === null || (archivedAt !== null && archivedAt >= failedAt))
    return fine(CHECK, 'The newest file of the write-ahead log was archived.');
  const since = archivedAt === null ? 'nothing was archived yet' : `the last success was ${archivedAt.toISOString()}`;
  return wrong(
    CHECK,
    `Archiving ${failedFile ?? 'the write-ahead log'} failed at ${failedAt.toISOString()} (${failures} failures, ${since}): backups end there, and the disk fills.`,
    "Check the output of archive_command in the database server's log, and fix its target. Delete nothing in pg_wal.",
  );
}
