import { randomUUID } from 'node:crypto';
import { raiseAlarms, raiseRarely } from '../audit/raise-alarms.ts';
import type { Context } from '../db/context.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import { confirmHere, lockConfirmation, markWentBack, saveMark } from './confirmation-sql.ts';
import type { MarkRefusal } from './judge-mark.ts';
import { judgeMark } from './judge-mark.ts';
import type { Mark } from './mark.ts';
import { readMark, writeMark } from './mark-file.ts';

export type Confirming = Context & {
  stateFolder: string;
  memory: {
    /** A mark that the database has and the folder may not have. */
    unwritten?: Mark | undefined;
    /** Since when the mark has been missing. */
    missingSinceMs?: number | undefined;
  };
};

/** How long a mark may be missing before an alarm: other workers confirm the database within seconds. */
const MISSING_ALARM_MS = 60_000;
const ALARM_QUIET_MS = 3_600_000;
const SUBJECT = 'database';

async function raiseRefusal(
  tx: Tx,
  { clock, memory }: Confirming,
  refused: MarkRefusal,
  wasKnown: boolean,
): Promise<void> {
  const at = new Date(clock.nowMs());
  if (refused === 'went-back') {
    if (wasKnown) return;
    await markWentBack(tx);
    await raiseAlarms(tx, at, [{ kind: 'database-went-back', subject: SUBJECT, details: {} }]);
    return;
  }
  memory.missingSinceMs ??= at.getTime();
  if (at.getTime() - memory.missingSinceMs < MISSING_ALARM_MS) return;
  await raiseRarely(tx, at, { kind: 'database-mark-missing', subject: SUBJECT, details: {} }, ALARM_QUIET_MS);
}

/**
 * Compares the mark in the state folder with the database, confirms the database for a minute, and moves both on. The
 * folder is written after the commit, so it never claims more than the database has.
 */
export async function confirmDatabase(confirming: Confirming): Promise<MarkRefusal | undefined> {
  const { database, stateFolder, memory } = confirming;
  if (memory.unwritten) await writeMark(stateFolder, memory.unwritten);
  memory.unwritten = undefined;
  const mark = await readMark(stateFolder);
  const outcome = await inTransaction(database, async (tx) => {
    const facts = await lockConfirmation(tx, mark?.folder);
    const judgement = judgeMark(mark, facts);
    if ('refused' in judgement) {
      await raiseRefusal(tx, confirming, judgement.refused, facts.wentBack);
      return judgement;
    }
    const next = { folder: mark?.folder ?? randomUUID(), sequence: judgement.sequence };
    await saveMark(tx, next);
    await confirmHere(tx);
    return { next };
  });
  if ('refused' in outcome) return outcome.refused;
  memory.missingSinceMs = undefined;
  memory.unwritten = outcome.next;
  await writeMark(stateFolder, outcome.next);
  memory.unwritten = undefined;
  return undefined;
}
