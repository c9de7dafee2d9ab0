-- Test events, retention of what was sent, and the hourly look for what was never sent.

alter table events
  alter column invoice_id drop not null,
  alter column body drop not null,
  drop constraint events_type_check,
  add constraint events_type_check check (type in ('invoice.completed', 'invoice.expired', 'webhook.test')),
  add constraint events_of_invoice check ((invoice_id is null) = (type = 'webhook.test'));
create index events_with_body on events (created_at) where body is not null;
comment on column events.invoice_id is 'Null for a test event: it tells of no invoice.';
comment on column events.body is 'Sent as stored, byte for byte, on every attempt. Null once it was erased for its age.';

alter table deliveries
  alter column invoice_id drop not null,
  add column probes smallint not null default 0,
  add column resume_at timestamptz;
comment on column deliveries.probes is 'Of the attempts, those that only asked whether the endpoint is back.';
comment on column deliveries.resume_at is 'During such an attempt: when the schedule has its next turn.';

alter table endpoints add column probe_at timestamptz not null default '-infinity';
create index endpoints_failing on endpoints (probe_at) where failures > 0;
comment on column endpoints.probe_at is 'Not to be asked before whether it is back, other than by the schedule.';

comment on column deliveries.invoice_id is 'Null for a test event.';

alter table invoices add column ended_at timestamptz;
create index invoices_ended on invoices (ended_at, id) where callback_url is not null and ended_at is not null;
comment on column invoices.ended_at is 'When it became completed or expired, the later of the two if both.';

create table event_checks (
  one boolean primary key default true check (one),
  reached_at timestamptz not null,
  reached_id bigint not null
);
insert into event_checks (reached_at, reached_id) values ('-infinity', 0);
comment on table event_checks is 'One row: up to which end of an invoice it was checked that its event and delivery were written.';
