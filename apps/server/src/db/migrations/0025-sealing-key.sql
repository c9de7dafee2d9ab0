-- expand
-- Which key of the ring seals, which processes hold which keys, and secrets that were given up.

create table sealing_key (
  one boolean primary key default true check (one),
  ring_key_id text not null references key_ring_keys (id)
);
-- The key that seals was the newest known one before this table said so.
insert into sealing_key (ring_key_id) select id from key_ring_keys order by created_at desc, id desc limit 1;
comment on table sealing_key is 'One row: the key that seals what is new. Only keyring reseal changes it; whoever seals holds the row until his commit.';
comment on table key_ring_keys is 'Keys that a key ring must hold before it is written. The keys themselves live outside the database.';

create table key_ring_holders (
  id text primary key,
  kind text not null,
  host text not null,
  pid integer not null,
  key_ids text[] not null,
  fault text,
  seen_at timestamptz not null default now()
);
comment on table key_ring_holders is 'Processes that open secrets, written by each every 10 seconds. One that was not seen for 60 is taken for dead.';
comment on column key_ring_holders.key_ids is 'Keys that it holds and that are the right ones.';
comment on column key_ring_holders.fault is 'Why it cannot use its key ring, or not all of it.';
comment on column key_ring_holders.seen_at is 'In database time.';

alter table secrets
  alter column ring_key_id drop not null,
  alter column sealed drop not null,
  add column abandoned_at timestamptz,
  add constraint secrets_sealed_or_abandoned check (
    (abandoned_at is null and ring_key_id is not null and sealed is not null)
    or (abandoned_at is not null and ring_key_id is null and sealed is null));
comment on column secrets.abandoned_at is 'When the secret was given up because the key that sealed it is lost: its sealed text is gone, and a new secret must be made.';
