import type { Finding } from './finding.ts';
import { fine, wrong } from './finding.ts';

export type StandbyFacts = {
  /** synchronous_standby_names: standbys that must confirm a commit. */
  names: string;
  /** Application names of the log's present receivers. */
  connected: readonly string[];
};

const CHECK = 'synchronous standby';
const COUNTED = /^(?:(?:first|any)\s+)?(\d+)\s*\(([^)]*)\)$/i;
const ANYBODY = '*';
/** A running base backup receives the log, but confirms nothing. */
const BACKUP = 'pg_basebackup';

/** How many confirmations a commit waits for, and from which standbys. */
function parseNames(text: string): { needed: number; names: readonly string[] } {
  const [, count = '1', list = text] = COUNTED.exec(text.trim()) ?? [];
  const names = list.split(',').map((name) =>
    name
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase(),
  );
  return { needed: Number(count), names: names.filter((name) => name !== '') };
}

/** Whether enough synchronous standbys are connected. */
export function judgeStandbys({ names: text, connected }: StandbyFacts): Finding {
  const { needed, names } = parseNames(text);
  if (names.length === 0) return fine(CHECK, 'No commit waits for a standby.');
  const mayConfirm = (name: string) => name !== BACKUP && (names.includes(ANYBODY) || names.includes(name));
  const present = connected.filter((name) => mayConfirm(name.toLowerCase())).length;
  return present >= needed
    ? fine(CHECK, `${present} of the standbys that confirm commits are connected; ${needed} must be.`)
    : wrong(
        CHECK,
        `Commits wait for ${needed} of the standbys "${text}", and ${present} are connected: every write hangs.`,
        'Start the standby, or take its name out of synchronous_standby_names and reload the server: waiting commits then end.',
      );
}
