import type { ExchangeKey, StatementRow } from '../platforms/statement-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import { aroundRow, notePending, planPending } from './plan-pending.ts';
import type { StatementPlan, TimeRange } from './plan-statement.ts';
import { holdsCoverage, TURN_MS } from './plan-statement.ts';
import type { PartialRead } from './read-parts.ts';
import { readParts } from './read-parts.ts';
import { readStatement } from './read-statement.ts';
import type { StatementFollower, StatementNotes } from './statement-follower.ts';
import { FIRST_PART_MS, notesOf } from './statement-follower.ts';

/** Makes a poll's planned reads, newest rows first: when a platform refuses more, only older rows wait. */

/** A planned poll of an exchange account. */
type PlannedPoll = { account: string; key: ExchangeKey; plan: StatementPlan; coveredMs: number; nowMs: number };

type GatheredStatement = {
  rows: StatementRow[];
  ranges: TimeRange[];
  newest: TimeRange;
  behindToMs: number | undefined;
  overlaps: boolean;
  sliceTurnMs: number | undefined;
  readsPending: boolean;
  /** Why a part of the plan was not read. */
  refusal: SourceError | undefined;
};

/** How long older rows wait after a refusal: the quota is kept for the newest rows. */
const REFUSED_FOR_MS = TURN_MS;
/** Shortest first part of a long range: longer than the newest range of a usual poll. */
const MIN_PART_MS = 5 * 60_000;
const SHRINK = 4;

function isWaiting({ refused }: StatementNotes, nowMs: number): boolean {
  const leftMs = (refused?.untilMs ?? nowMs) - nowMs;
  return leftMs > 0 && leftMs <= REFUSED_FOR_MS;
}

/** Records a refusal of more than the newest rows; `sinceMs` is the first one since the last full answer. */
function noteRefusal(notes: StatementNotes, nowMs: number): void {
  notes.refused = { sinceMs: notes.refused?.sinceMs ?? nowMs, untilMs: nowMs + REFUSED_FOR_MS };
}

/** Reads a long range in parts within the quota. After a refusal the next poll starts with a shorter part. */
async function readGap(
  { source }: StatementFollower,
  key: ExchangeKey,
  range: TimeRange,
  notes: StatementNotes,
  isEnough?: (rows: readonly StatementRow[]) => boolean,
): Promise<PartialRead> {
  const { firstPartMs } = notes;
  const isGap = range.toMs - range.fromMs >= firstPartMs;
  try {
    const read = await readParts(source, key, range, { firstMs: firstPartMs, ...(isEnough && { isEnough }) });
    if (isGap && read.refusal === undefined) notes.firstPartMs = FIRST_PART_MS;
    return read;
  } catch (cause) {
    if (isGap && cause instanceof SourceError) notes.firstPartMs = Math.max(MIN_PART_MS, firstPartMs / SHRINK);
    throw cause;
  }
}

/** Whether a smaller request may succeed immediately. */
const isTooMuch = ({ kind }: SourceError) => kind === 'rate' || kind === 'range';

async function readNewest(
  follower: StatementFollower,
  { key, plan, nowMs }: PlannedPoll,
  notes: StatementNotes,
): Promise<GatheredStatement> {
  const none = { behindToMs: undefined, sliceTurnMs: undefined, readsPending: false };
  let refusal: SourceError | undefined;
  if (plan.overlap && !isWaiting(notes, nowMs)) {
    try {
      const rows = await readStatement(follower.source, key, plan.overlap);
      return { ...none, rows, ranges: [plan.overlap], newest: plan.overlap, overlaps: true, refusal };
    } catch (cause) {
      if (!(cause instanceof SourceError)) throw cause;
      if (cause.kind !== 'unavailable') noteRefusal(notes, nowMs);
      if (!isTooMuch(cause)) throw cause;
      refusal = cause;
    }
  }
  const read = await readGap(follower, key, plan.newest, notes);
  const newest = { fromMs: plan.newest.fromMs, toMs: read.toMs };
  return { ...none, rows: read.rows, ranges: [newest], newest, overlaps: false, refusal: read.refusal ?? refusal };
}

/** Reads older due ranges again; throws the first refusal. */
async function readAgain(
  follower: StatementFollower,
  { account, key, plan, coveredMs, nowMs }: PlannedPoll,
  notes: StatementNotes,
  gathered: GatheredStatement,
): Promise<void> {
  const { source } = follower;
  const add = (range: TimeRange, rows: readonly StatementRow[]) => {
    gathered.rows.push(...rows);
    gathered.ranges.push(range);
  };
  if (plan.behind) {
    const isHeld = (rows: readonly StatementRow[]) => rows.some((row) => holdsCoverage(row, coveredMs, nowMs));
    const { rows, toMs, refusal } = await readGap(follower, key, plan.behind, notes, isHeld);
    add({ fromMs: plan.behind.fromMs, toMs }, rows);
    gathered.behindToMs = toMs;
    if (refusal) throw refusal;
  }
  if (plan.slice) {
    const { turnMs, ...range } = plan.slice;
    add(range, await readStatement(source, key, range));
    gathered.sliceTurnMs = turnMs;
  }
  const pending = await planPending(follower, account, notes, nowMs);
  for (const range of (pending ?? []).map(aroundRow)) add(range, await readStatement(source, key, range));
  if (!pending) return;
  notePending(notes, pending, nowMs);
  gathered.readsPending = true;
}

/** Reads as much of a plan as the platform answers; throws when that is nothing. */
export async function gatherStatement(follower: StatementFollower, poll: PlannedPoll): Promise<GatheredStatement> {
  const { plan, nowMs } = poll;
  const notes = notesOf(follower.memory, poll.account);
  const gathered = await readNewest(follower, poll, notes);
  if (gathered.refusal) {
    noteRefusal(notes, nowMs);
    return gathered;
  }
  // After an outage the newest rows take several polls; older ones wait for them.
  if (isWaiting(notes, nowMs) || plan.newest.toMs < nowMs) return gathered;
  try {
    await readAgain(follower, poll, notes, gathered);
    if (plan.overlap ?? plan.behind ?? plan.slice) notes.refused = undefined;
  } catch (cause) {
    if (!(cause instanceof SourceError)) throw cause;
    noteRefusal(notes, nowMs);
    gathered.refusal = cause;
  }
  return gathered;
}
