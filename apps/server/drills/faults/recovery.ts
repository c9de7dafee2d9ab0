import { setTimeout as wait } from 'node:timers/promises';
import { steadyClock, systemClock } from '../../src/lib/clock.ts';
import type { Members } from './members.ts';
import type { FaultSite } from './site.ts';
import { DASHBOARD } from './site.ts';
import { firstSuccess } from './traffic.ts';

/** When everything works again after a fault. */

type Recovery = {
  /** Seconds from the fault's end until invoices are sold again; undefined if they are not within the limit. */
  seconds: number | undefined;
  /** Seconds until everything else works too: sign-ins, emails, and every process. */
  allSeconds: number | undefined;
  /** Seconds of each part, by its name. */
  parts: Readonly<Record<string, number>>;
  /** Parts that did not work within the limit. */
  broken: readonly string[];
};

const LIMIT_MS = 120_000;
/** Parts that sell invoices. */
const SELLING = /^(?:creates|selects|settlement|webhooks)/;
const POLL_MS = 100;

type Check = (site: FaultSite, endedAtMs: number) => Promise<number | undefined> | number | undefined;

async function readEvents({ database }: FaultSite, sinceMs: number): Promise<Map<string, number>> {
  const { rows } = await database.pool.query<{ eventId: string; at: Date }>(
    'select event_id as "eventId", created_at as at from events where created_at > $1',
    [new Date(sinceMs)],
  );
  return new Map(rows.map(({ eventId, at }) => [eventId, at.getTime()]));
}

/** The earliest time; undefined if there is none. */
const earliest = (times: readonly number[]) => (times.length === 0 ? undefined : Math.min(...times));

/** When an invoice was settled after the fault. */
async function settledAt(site: FaultSite, endedAtMs: number): Promise<number | undefined> {
  return earliest([...(await readEvents(site, endedAtMs)).values()]);
}

/** When a webhook about an invoice that was settled after the fault was received. */
async function notifiedAt(site: FaultSite, endedAtMs: number): Promise<number | undefined> {
  const events = await readEvents(site, endedAtMs);
  const { receipts } = await site.receivers.report();
  const times = receipts.filter(({ eventId, succeeded }) => succeeded > 0 && events.has(eventId));
  return earliest(times.map(({ firstSuccessAtMs }) => firstSuccessAtMs));
}

/** When an email was there that was asked for after the fault. */
function mailedAt({ mail }: FaultSite, members: Members, endedAtMs: number): number | undefined {
  const asked = new Set(members.askedMails.filter(({ sentAtMs }) => sentAtMs >= endedAtMs).map((one) => one.mail));
  return mail.received.some(({ to }) => to.some((one) => asked.has(one))) ? systemClock.nowMs() : undefined;
}

function checksOf(site: FaultSite, members: Members): Record<string, Check> {
  const ofApis = site.apis.flatMap(({ name }): [string, Check][] => [
    [`creates of ${name}`, ({ traffic }, endedAtMs) => firstSuccess(traffic, 'create', name, endedAtMs)],
    [`selects of ${name}`, ({ traffic }, endedAtMs) => firstSuccess(traffic, 'select', name, endedAtMs)],
  ]);
  const ofProcesses = Object.entries(site.processes).map(([name, process]): [string, Check] => [
    name,
    () => (process.running() === undefined ? undefined : systemClock.nowMs()),
  ]);
  return {
    ...Object.fromEntries([...ofApis, ...ofProcesses]),
    settlement: settledAt,
    webhooks: notifiedAt,
    'sign-ins': ({ traffic }, endedAtMs) => firstSuccess(traffic, 'sign-in', DASHBOARD, endedAtMs),
    emails: (_site, endedAtMs) => mailedAt(site, members, endedAtMs),
  };
}

const isSelling = ([name]: readonly [string, ...unknown[]]) => SELLING.test(name);
const longest = (of: readonly (readonly [string, number])[]) => Math.max(0, ...of.map(([, seconds]) => seconds));

/** Waits until every part has worked since the fault's end, or the limit is reached. */
export async function awaitRecovery(site: FaultSite, members: Members, endedAtMs: number): Promise<Recovery> {
  const untilMs = steadyClock.nowMs() + LIMIT_MS;
  const left = new Map(Object.entries(checksOf(site, members)));
  const parts: Record<string, number> = {};
  while (left.size > 0 && steadyClock.nowMs() < untilMs) {
    site.signal.throwIfAborted();
    for (const [name, check] of left) {
      // The database may still be away.
      const atMs = await Promise.resolve(check(site, endedAtMs)).catch(() => undefined);
      if (atMs === undefined) continue;
      parts[name] = Math.max(0, atMs - endedAtMs) / 1_000;
      left.delete(name);
    }
    if (left.size > 0) await wait(POLL_MS);
  }
  const all = Object.entries(parts);
  return {
    seconds: [...left].some(isSelling) ? undefined : longest(all.filter(isSelling)),
    allSeconds: left.size > 0 ? undefined : longest(all),
    parts,
    broken: [...left.keys()],
  };
}
