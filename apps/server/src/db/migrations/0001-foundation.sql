-- Who may do what, what was changed by whom, and the secrets they hold.

create table key_ring_keys (
  id text primary key,
  check_value bytea not null,
  created_at timestamptz not null default now()
);
comment on table key_ring_keys is 'Key ring keys that ever sealed something here. The keys themselves live outside the database.';
comment on column key_ring_keys.check_value is 'A known text sealed with the key: proves at start that the configured ring is the right one.';

create table secrets (
  id bigint generated always as identity primary key,
  purpose text not null,
  ring_key_id text not null references key_ring_keys (id),
  sealed bytea not null
);
create index secrets_by_ring_key on secrets (ring_key_id, id);
comment on table secrets is 'Every secret at rest, in one place so that the key ring rotates in one loop.';
comment on column secrets.purpose is 'What it is for, for example webhook_secret:12. Bound into the seal.';

create table audit_entries (
  id bigint primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text not null,
  details jsonb not null,
  previous_hash bytea not null,
  hash bytea not null
);
create index audit_entries_by_subject on audit_entries (subject, id);
comment on table audit_entries is 'Every change a person made. Append-only and chained: each hash covers the one before it.';
comment on column audit_entries.actor is 'Who, for example cli:alice.';
comment on column audit_entries.subject is 'What was changed, for example store:12.';
comment on column audit_entries.details is 'Before and after, never a secret.';

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;

create trigger audit_entries_append_only before update or delete on audit_entries
  for each row execute function refuse_change();
create trigger audit_entries_never_emptied before truncate on audit_entries
  for each statement execute function refuse_change();

create table plans (
  id bigint generated always as identity primary key,
  code text not null unique,
  fee_rate_percent numeric(7, 4) not null check (fee_rate_percent >= 0 and fee_rate_percent <= 100),
  minimum_fee_micro_usd bigint not null default 0 check (minimum_fee_micro_usd >= 0),
  trial_days integer not null default 0 check (trial_days between 0 and 3650),
  create_burst integer not null default 5 check (create_burst > 0),
  create_sustained integer not null default 60 check (create_sustained > 0),
  lookup_burst integer not null default 20 check (lookup_burst > 0),
  lookup_sustained integer not null default 200 check (lookup_sustained > 0),
  created_at timestamptz not null
);
comment on table plans is 'What a store pays and how fast it may call. Defaults are the limits of the public contract.';
comment on column plans.create_burst is 'Invoice creations per second.';
comment on column plans.create_sustained is 'Invoice creations per minute.';

create table merchants (
  id bigint generated always as identity primary key,
  name text not null,
  active boolean not null default true,
  created_at timestamptz not null
);
comment on table merchants is 'Accounts. A merchant owns stores and receiving addresses.';

create table stores (
  id bigint generated always as identity primary key,
  merchant_account_id bigint not null references merchants (id),
  merchant_id text collate "C" not null unique,
  shard text not null check (shard ~ '^[A-Z0-9]$'),
  name text not null,
  live boolean not null default true,
  active boolean not null default true,
  plan_id bigint not null references plans (id),
  discount_percent numeric(5, 2) not null default 0 check (discount_percent between 0 and 100),
  trial_ends_at timestamptz,
  lifetime_minutes integer not null default 30 check (lifetime_minutes between 10 and 1440),
  https_callbacks_only boolean not null default false,
  created_at timestamptz not null,
  unique (id, merchant_account_id)
);
comment on table stores is 'One integration of a merchant: one API key, one merchant_id, one balance. Never deleted.';
comment on column stores.merchant_id is 'The merchant code of the public contract.';
comment on column stores.shard is 'Drawn at creation; the first character of its invoice codes and API keys. A shard can move to another cell.';
comment on column stores.lifetime_minutes is 'How long a new invoice can be paid.';

create table api_keys (
  id bigint generated always as identity primary key,
  store_id bigint not null references stores (id),
  hash bytea not null unique,
  secret_id bigint not null references secrets (id),
  hint text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null default 'infinity'
);
create index api_keys_by_store on api_keys (store_id, id);
comment on table api_keys is 'Keys of stores. A regenerated key may live on beside its successor until it expires.';
comment on column api_keys.hash is 'SHA-256 of the key: the only way it is looked up.';
comment on column api_keys.secret_id is 'The sealed key, because a merchant can copy it in the dashboard.';
comment on column api_keys.hint is 'Its last four characters, for people.';

create table webhook_secrets (
  id bigint generated always as identity primary key,
  store_id bigint not null references stores (id),
  secret_id bigint not null references secrets (id),
  created_at timestamptz not null,
  expires_at timestamptz not null default 'infinity'
);
create index webhook_secrets_by_store on webhook_secrets (store_id, id);
comment on table webhook_secrets is 'What a store verifies our webhooks with. Two are live while one is rotated.';

create unlogged table admissions (
  bucket text collate "C" not null,
  endpoint text collate "C" not null,
  requested integer not null,
  burst_limit integer not null,
  burst_started_at timestamptz not null,
  burst_used integer not null,
  sustained_started_at timestamptz not null,
  sustained_used integer not null,
  primary key (bucket, endpoint)
) with (fillfactor = 50);
comment on table admissions is 'Both rate windows of a store or an address, in database time. Unlogged: a crash forgets them, which is harmless.';
comment on column admissions.bucket is 's and a store id, or a and a network address.';
comment on column admissions.requested is 'How many requests the latest statement asked for.';
comment on column admissions.burst_used is 'Requests in this second, also those over the limit.';
comment on column admissions.sustained_used is 'Requests in this minute that their second let through.';
