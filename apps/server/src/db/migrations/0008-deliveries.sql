-- Telling the merchant: the delivery row is the job, written in the transaction that changes the invoice.

create table endpoints (
  id bigint generated always as identity primary key,
  store_id bigint not null,
  url text collate "C" not null,
  host text collate "C" not null,
  failures integer not null default 0,
  unique (store_id, url)
);
comment on table endpoints is 'A callback address of a store.';
comment on column endpoints.failures is 'Attempts that failed in a row; the first success after some pulls waiting retries forward.';

create table deliveries (
  id bigint generated always as identity primary key,
  event_row_id bigint not null references events (id),
  endpoint_id bigint not null references endpoints (id),
  store_id bigint not null,
  invoice_id bigint not null,
  sequence integer not null,
  host text collate "C" not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts smallint not null default 0,
  unscheduled smallint not null default 0,
  next_attempt_at timestamptz not null,
  leased_until timestamptz not null default '-infinity',
  created_at timestamptz not null
) with (fillfactor = 70);
create index deliveries_due on deliveries (next_attempt_at, endpoint_id) where state = 'pending';
create index deliveries_by_endpoint on deliveries (endpoint_id, next_attempt_at) where state = 'pending';
create index deliveries_by_invoice on deliveries (invoice_id, sequence);
create index deliveries_by_event on deliveries (event_row_id);
comment on table deliveries is 'Due rows claimed with skip locked. The claim is a lease in database time: a killed worker delays its deliveries by seconds.';
comment on column deliveries.unscheduled is 'Of the attempts, those beyond the schedule: pulled forward, or made after one was lost with its worker.';
comment on column deliveries.next_attempt_at is 'By the schedule: twelve attempts over seven days.';
comment on column deliveries.state is 'failed after the whole schedule, or when the receiver answered 410.';

create table attempts (
  at timestamptz not null,
  delivery_id bigint not null,
  number smallint not null,
  duration_ms integer not null,
  status smallint,
  error text,
  request_headers jsonb not null,
  response_excerpt text
) partition by range (at);
create table attempts_default partition of attempts default;
create index attempts_by_delivery on attempts (delivery_id, number);
comment on table attempts is 'What was sent and what came back. The body sent is the event''s.';
