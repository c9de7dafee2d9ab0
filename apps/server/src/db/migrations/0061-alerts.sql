-- expand
-- Alerts: the messages that tell an operator of alarms, by email or to a URL. A row is committed before it is sent.

create table alerts (
  id bigint generated always as identity primary key,
  kind text not null check (length(kind) between 1 and 64),
  channel text not null check (channel in ('email', 'url')),
  phase text not null check (phase in ('raised', 'over')),
  hour timestamptz not null,
  alarms integer not null check (alarms >= 0),
  subjects text[] not null,
  created_at timestamptz not null,
  state text not null default 'pending' check (state in ('pending', 'sent', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  decided_at timestamptz,
  last_error text,
  unique (kind, phase, hour, channel)
);
create index alerts_by_kind on alerts (kind, id);
create index alerts_pending on alerts (next_attempt_at) where state = 'pending';
comment on table alerts is 'Messages about alarms, sent to the operator by email or to a URL: at most one of each phase per kind, channel and hour.';
comment on column alerts.hour is 'The beginning of the hour, in UTC, that the alert stands for.';
comment on column alerts.alarms is 'How many alarms the alert reports; 0 when it reports that the kind is over.';
comment on column alerts.subjects is 'Subjects of the newest of these alarms.';
comment on column alerts.next_attempt_at is 'An attempt moves it ahead before it sends, so that nobody else sends the alert meanwhile.';

alter table alarms add column alerted_at timestamptz;
create index alarms_unalerted on alarms (kind, id) where alerted_at is null and acknowledged_at is null;
comment on column alarms.alerted_at is 'When an alert that includes this alarm was committed; null where no alerts are configured.';
