-- expand
-- Ids of events are derived, so that what is told again after a restore carries the id that it had.

alter table merchants add column event_salt bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
comment on column merchants.event_salt is 'Ids of its events are derived from this, the invoice code and the type; drawn once, never changed.';
