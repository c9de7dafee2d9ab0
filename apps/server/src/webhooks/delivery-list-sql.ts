import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { EventType } from '@counterfoil/core/event-type.ts';

export type DeliveryState = 'pending' | 'delivered' | 'failed';
/** Class of the latest answer; `none` without an answer or attempt. */
export const ANSWER_CLASSES = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;
type AnswerClass = (typeof ANSWER_CLASSES)[number];

/** Filters; undefined ones do not apply. `to` is exclusive. */
type DeliveryFilter = {
  state?: DeliveryState | undefined;
  answer?: AnswerClass | undefined;
  type?: EventType | undefined;
  url?: string | undefined;
  /** The code of a webhook endpoint. */
  endpoint?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
};

/** Where a list begins, and how much is read. */
type DeliveryPage = {
  /** Only smaller numbers are listed. */
  before?: bigint | undefined;
  /** How many deliveries are read, and how many returned. */
  looked: number;
  limit: number;
};

export type ListedDelivery = {
  id: bigint;
  storeId: bigint;
  eventId: string;
  type: EventType;
  url: string;
  /** The code of the webhook endpoint; null for a callback URL. */
  endpoint: string | null;
  state: DeliveryState;
  byHand: boolean;
  attempts: number;
  createdAt: Date;
  nextAttemptAt: Date;
  lastAt: Date | null;
  lastStatus: number | null;
  lastError: string | null;
  lastDurationMs: number | null;
};

/** Matches, and the number down to which all deliveries were read; null when that is all. */
type FoundDeliveries = { deliveries: ListedDelivery[]; lookedTo: bigint | null };

/** How far delivery times and numbers may diverge: numbers are taken later, and clocks differ. */
const ORDER_SLACK_MINUTES = 60;

const answeredWith = (answer: AnswerClass) =>
  answer === 'none' ? sql`and a.status is null` : sql`and a.status / 100 = ${Number(answer.slice(0, 1))}`;

/** Bounds of a period's delivery numbers, from the events around it: newer deliveries need not be read. */
const boundsOf = ({ from, to }: DeliveryFilter) => {
  const slack = sql`make_interval(mins => ${ORDER_SLACK_MINUTES}::integer)`;
  const first =
    to &&
    sql`select e.id from events e where e.store_id = s.id and e.created_at >= ${to}::timestamptz + ${slack}
    order by e.created_at limit 1`;
  const last =
    from &&
    sql`select e.id from events e where e.store_id = s.id and e.created_at < ${from}::timestamptz - ${slack}
    order by e.created_at desc limit 1`;
  return {
    above: first ? sql`(select min(d.id) from deliveries d where d.event_row_id = (${first}))` : sql`null::bigint`,
    below: last ? sql`(select min(d.id) from deliveries d where d.event_row_id = (${last}))` : sql`null::bigint`,
  };
};

const MOST_NUMBER = 2n ** 63n - 1n;

/**
 * Lists stores' deliveries. Reads the newest of each store by index and filters afterwards, at a fixed cost. If it ends
 * before the page is full, the caller continues from `lookedTo`.
 */
export async function listDeliveries(
  queries: Queries,
  storeIds: readonly bigint[],
  filter: DeliveryFilter,
  { before = MOST_NUMBER, looked, limit }: DeliveryPage,
): Promise<FoundDeliveries> {
  const perStore = Math.max(limit, Math.floor(looked / Math.max(1, storeIds.length)));
  const { above, below } = boundsOf(filter);
  const { rows } = await sql<ListedDelivery & { lookedTo: bigint | null; id: bigint | null }>`
    with scans as materialized (
      select s.id, least(${before}::bigint, ${above}) as above, coalesce(${below}, 0) as below
      from unnest(${storeIds}::bigint[]) s (id)
    ), read as materialized (
      select d.*, row_number() over (partition by d.store_id order by d.id desc) as place
      from scans s cross join lateral (
        select d.id, d.store_id, d.event_row_id, d.endpoint_id, d.state, d.by_hand, d.attempts, d.created_at, d.next_attempt_at
        from deliveries d where d.store_id = s.id and d.id < s.above and d.id >= s.below
          ${filter.state === 'failed' ? sql`and d.state = 'failed'` : sql``}
        order by d.id desc limit ${perStore}) d
    ), edge as materialized (
      select greatest((select max(id) from read where place = ${perStore}),
        (select id from read order by id desc offset ${looked - 1} limit 1)) as id
    )
    select f.*, edge.id as "lookedTo" from edge left join lateral (
      select d.id, d.store_id as "storeId", e.event_id as "eventId", e.type, coalesce(w.url, p.url) as url, w.code as endpoint, d.state, d.by_hand as "byHand", d.attempts,
        d.created_at as "createdAt", d.next_attempt_at as "nextAttemptAt", a.at as "lastAt", a.status as "lastStatus",
        a.error as "lastError", a.duration_ms as "lastDurationMs"
      from (select * from read where edge.id is null or id >= edge.id order by id desc) d
        join events e on e.id = d.event_row_id join endpoints p on p.id = d.endpoint_id
        left join webhook_endpoints w on w.endpoint_id = p.id
        left join lateral (select a.at, a.status, a.error, a.duration_ms from attempts a
          where a.delivery_id = d.id order by a.number desc, a.at desc limit 1) a on true
      where true
        ${filter.state === undefined ? sql`` : sql`and d.state = ${filter.state}`}
        ${filter.type === undefined ? sql`` : sql`and e.type = ${filter.type}`}
        ${filter.url === undefined ? sql`` : sql`and p.url = ${filter.url}`}
        ${filter.endpoint === undefined ? sql`` : sql`and w.code = ${filter.endpoint}`}
        ${filter.from === undefined ? sql`` : sql`and d.created_at >= ${filter.from}`}
        ${filter.to === undefined ? sql`` : sql`and d.created_at < ${filter.to}`}
        ${filter.answer === undefined ? sql`` : answeredWith(filter.answer)}
      order by d.id desc limit ${limit}) f on true
    order by f.id desc`.execute(queries);
  return {
    deliveries: rows.flatMap(({ lookedTo: _edge, ...row }) => (row.id === null ? [] : [row])),
    lookedTo: rows[0]?.lookedTo ?? null,
  };
}
