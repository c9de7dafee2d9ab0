import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../src/db/database.ts';
import type { ClockPace } from '../../src/lib/clock.ts';
import { createPacedClock, systemClock } from '../../src/lib/clock.ts';
import type { Commits, WrittenEvent } from '../../rig/webhooks/write-events.ts';
import { commitKey, countPending, readEvents } from '../../rig/webhooks/write-events.ts';
import { retryWhileAway } from '../../rig/database/retry-while-away.ts';
import type { ReceiptReport } from '../../rig/webhooks/receipts.ts';

/** Compares written events with received events. */

export type Verdict = {
  events: number;
  delivered: number;
  lost: number;
  attempts: number;
  /** Successful deliveries of an event after its first successful delivery. */
  duplicates: number;
  signatureFailures: number;
  worstDelayMs: number;
  /** Claims that ended without a saved attempt, because their worker or the database went away. */
  abandoned: number;
  /** Later events that came first because the connection of the earlier event broke. */
  overtaking: number;
};

const STEP_MS = 100;

/** Waits until no delivery is pending; returns how many deliveries still are pending when the time is over. */
export async function untilSettled(database: Database, timeoutMs: number): Promise<number> {
  const untilMs = systemClock.nowMs() + timeoutMs;
  for (;;) {
    const pending = await retryWhileAway(() => countPending(database));
    if (pending === 0 || systemClock.nowMs() > untilMs) return pending;
    await wait(STEP_MS);
  }
}

/** Deliveries whose state contradicts what receivers got. Call when no delivery is pending. */
async function findMisstated(database: Database, succeeded: ReadonlySet<string>): Promise<string[]> {
  const { rows } = await database.pool.query<{ eventId: string; state: string; callbackStatus: string | null }>(
    `select e.event_id as "eventId", d.state, case when e.type = 'invoice.completed' then i.callback_status end as "callbackStatus"
     from deliveries d join events e on e.id = d.event_row_id join invoices i on i.id = e.invoice_id`,
  );
  return rows.flatMap(({ eventId, state, callbackStatus }) => {
    if ((state === 'delivered') !== succeeded.has(eventId)) return [`${eventId} is ${state}, which is not so`];
    return callbackStatus === 'failed' && state === 'delivered'
      ? [`${eventId} is delivered, its invoice says not`]
      : [];
  });
}

async function countAbandoned(database: Database): Promise<number> {
  const { rows } = await database.pool.query<{ abandoned: number }>(
    `select ((select sum(attempts) from deliveries) - (select count(*) from attempts))::integer as abandoned`,
  );
  return rows[0]?.abandoned ?? 0;
}

/**
 * Milliseconds by which rounding may make the time of a received event earlier than the end of an attempt in the
 * database.
 */
const ROUNDING_MS = 2;

/**
 * Counts events received before an earlier event of their invoice without an explanation. The explanation is a logged
 * attempt of the earlier event that ended without being received, because its connection broke; without such an attempt
 * the later event was sent too early.
 */
async function countUnexplained(
  database: Database,
  early: ReceiptReport['faults']['early'],
  pace: ClockPace | undefined,
): Promise<number> {
  const clockMs = (atMs: number) => createPacedClock({ nowMs: () => atMs + ROUNDING_MS }, pace).nowMs();
  const { rows } = await database.pool.query(
    `select from unnest($1::text[], $2::timestamptz[]) as f (event_id, at)
     join events later on later.event_id = f.event_id
     where not exists (
       select from events earlier join deliveries d on d.event_row_id = earlier.id join attempts a on a.delivery_id = d.id
       where earlier.invoice_id = later.invoice_id and earlier.sequence < later.sequence and a.status is null
         and a.at + make_interval(secs => a.duration_ms * $3::integer / 1000.0) <= f.at)`,
    [early.map((one) => one.eventId), early.map((one) => new Date(clockMs(one.atMs))), pace?.rate ?? 1],
  );
  return rows.length;
}

function tellFaults({ faults }: ReceiptReport, tell: (fault: string) => void): void {
  if (faults.bodies > 0) tell(`${faults.bodies} requests had another body or id than the first of their event`);
  if (faults.followed > 0) tell(`${faults.followed} redirects were followed`);
}

const isWritten = (events: readonly WrittenEvent[]) => new Set(events.map((event) => event.eventId));

export async function judge(
  database: Database,
  report: ReceiptReport,
  commits: Commits,
  tell: (fault: string) => void,
  pace?: ClockPace,
): Promise<Verdict> {
  const events = await retryWhileAway(() => readEvents(database));
  const receipts = new Map(report.receipts.map((one) => [one.eventId, one]));
  const written = isWritten(events);
  const unknown = report.receipts.filter((one) => !written.has(one.eventId)).length;
  if (unknown > 0) tell(`${unknown} events were received that nobody wrote`);
  if (commits.size !== events.length) tell(`${commits.size} events were asked for and ${events.length} written`);
  const succeeded = new Set(report.receipts.filter((one) => one.succeeded > 0).map((one) => one.eventId));
  const misstated = await retryWhileAway(() => findMisstated(database, succeeded));
  if (misstated.length > 0) tell(`${misstated.length} deliveries are misstated, for example ${misstated[0]}`);
  tellFaults(report, tell);
  const unexplained = await retryWhileAway(() => countUnexplained(database, report.faults.early, pace));
  if (unexplained > 0) tell(`${unexplained} later events came before the first attempt of the earlier had ended`);
  const delays = events.flatMap((event) => {
    const successAtMs = receipts.get(event.eventId)?.firstSuccessAtMs ?? 0;
    const committedAtMs = commits.get(commitKey(event.transId, event.sequence));
    return successAtMs === 0 || committedAtMs === undefined ? [] : [Math.max(0, successAtMs - committedAtMs)];
  });
  const delivered = events.filter((event) => succeeded.has(event.eventId)).length;
  return {
    events: events.length,
    delivered,
    lost: events.length - delivered,
    attempts: report.receipts.reduce((sum, one) => sum + one.received, 0),
    duplicates: report.receipts.reduce((sum, one) => sum + Math.max(0, one.succeeded - 1), 0),
    signatureFailures: report.faults.signatures,
    worstDelayMs: delays.reduce((worst, delay) => Math.max(worst, delay), 0),
    abandoned: await retryWhileAway(() => countAbandoned(database)),
    overtaking: report.faults.early.length - unexplained,
  };
}
