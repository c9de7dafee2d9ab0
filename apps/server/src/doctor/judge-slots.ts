import type { Finding } from './finding.ts';
import { doubtful, fine, wrong } from './finding.ts';

export type SlotFact = {
  name: string;
  /** Whether a standby or subscriber is connected. */
  isActive: boolean;
  /** Whether the server has removed what the slot needs. */
  isLost: boolean;
  keptBytes: bigint | null;
  isLimited: boolean;
};

const CHECK = 'replication slots';
const MEGABYTE = 1_048_576n;
/** More than a restarting standby lags: half of compose.yaml's limit of the log. */
const MUCH = 2_048n * MEGABYTE;
const DROP = "select pg_drop_replication_slot('...')";

function judgeSlot({ name, isActive, isLost, keptBytes, isLimited }: SlotFact): Finding | undefined {
  if (isLost)
    return doubtful(
      CHECK,
      `Slot ${name} has lost the write-ahead log that it needs: its standby cannot catch up.`,
      `Recreate the standby, or drop the slot: ${DROP}.`,
    );
  // A slot that reserves nothing is harmless.
  if (keptBytes === null) return undefined;
  const kept = `${keptBytes / MEGABYTE} MB of the write-ahead log`;
  if (isActive)
    return keptBytes < MUCH
      ? undefined
      : doubtful(
          CHECK,
          `Slot ${name} lags: it keeps ${kept}.`,
          'See whether its standby reads as fast as this server writes; pg_stat_replication shows how far it is.',
        );
  const judge = isLimited ? doubtful : wrong;
  return judge(
    CHECK,
    `Slot ${name} has no reader and keeps ${kept}${isLimited ? '' : ', and more with every write, until the disk is full'}.`,
    `Start its standby, or drop the slot: ${DROP}. Bound all slots by max_slot_wal_keep_size.`,
  );
}

/** Whether replication slots keep the write-ahead log without a reader. */
export function judgeSlots(slots: readonly SlotFact[]): Finding[] {
  const found = slots.map(judgeSlot).filter((finding) => finding !== undefined);
  return found.length > 0
    ? found
    : [fine(CHECK, `${slots.length} replication slots, none of them dead or far behind.`)];
}
