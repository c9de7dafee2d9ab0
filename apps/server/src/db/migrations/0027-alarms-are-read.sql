-- expand
-- Alarms are acknowledged by a person. Those that are not are counted at every scrape, so the index holds only them.

alter table alarms add column if not exists acknowledged_at timestamptz;
alter table alarms add column if not exists acknowledged_by text;
comment on column alarms.acknowledged_at is 'When a person said that it was dealt with; why is in the audit.';
create index concurrently alarms_unacknowledged on alarms (kind, id) where acknowledged_at is null;
