-- Following chains: where we are, what we know twice, and what arrived.

create table chains (
  network text collate "C" primary key,
  height bigint not null,
  hash text not null,
  block_time timestamptz not null,
  head_height bigint not null,
  head_time timestamptz not null,
  lease_owner text,
  lease_until timestamptz,
  frozen_at timestamptz,
  frozen_reason text,
  retired_at timestamptz,
  retired_reason text
);
comment on table chains is 'One row per followed chain. height and hash are the cursor: every block up to it was read and linked.';
comment on column chains.lease_owner is 'For economy only: safety is the compare-and-set of the cursor.';
comment on column chains.frozen_at is 'A completed invoice lost its payment: completions and coverage stop until it is back or an operator decides.';
comment on column chains.retired_at is 'An operator waived coverage of a dead network.';

create table chain_blocks (
  network text collate "C" not null,
  height bigint not null,
  hash text not null,
  parent_hash text not null,
  block_time timestamptz not null,
  primary key (network, height)
);
comment on table chain_blocks is 'Headers that are not final yet, linked by parent hash: a reorg is found by walking them back.';

create table chain_coverage (
  network text collate "C" not null,
  scope text collate "C" not null default '',
  tier text collate "C" not null,
  height bigint not null,
  block_time timestamptz not null,
  primary key (network, scope, tier)
);
comment on table chain_coverage is 'Up to here every block was read twice, at the depth of the tier. An invoice expires only behind it.';
comment on column chain_coverage.scope is 'Empty for a whole chain; an account where accounts are followed one by one.';

create table watch_versions (
  network text collate "C" primary key,
  version bigint not null
);
comment on table watch_versions is 'Raised in the transaction that adds an address; a reader compares it inside its commit.';

create function raise_watch_version() returns trigger language plpgsql as $$
begin
  insert into watch_versions (network, version) values (new.network, 1)
  on conflict (network) do update set version = watch_versions.version + 1;
  return new;
end $$;
create trigger wallets_are_watched after insert or update on wallets
  for each row execute function raise_watch_version();

create table transfers (
  id bigint generated always as identity primary key,
  network text collate "C" not null,
  tx_id text collate "C" not null,
  index text collate "C" not null,
  token text collate "C" not null,
  from_address text not null,
  to_address text collate "C" not null,
  units numeric(78, 0) not null check (units > 0 and units < 'infinity'),
  height bigint not null,
  block_hash text not null,
  block_time timestamptz not null,
  canonical boolean not null default true,
  seen_at timestamptz not null,
  quote_id bigint,
  invoice_id bigint,
  attached_by text,
  reason text,
  unique (network, tx_id, index)
);
create index transfers_by_height on transfers (network, height);
create index transfers_by_invoice on transfers (invoice_id) where invoice_id is not null;
create index transfers_inbox on transfers (network, to_address, id) where reason is not null;
comment on table transfers is 'What arrived at watched addresses. Not partitioned: network, tx and index must stay unique for ever.';
comment on column transfers.index is 'The token and its number in the transaction: stable when the transaction moves to another block.';
comment on column transfers.canonical is 'It stands in the chain as last read.';
comment on column transfers.reason is 'Why it pays nothing: short, over, wrong_token, unknown, late or already_paid; null when it pays.';

create table events (
  id bigint generated always as identity primary key,
  event_id text not null unique,
  store_id bigint not null,
  invoice_id bigint not null,
  sequence integer not null,
  type text not null check (type in ('invoice.completed', 'invoice.expired')),
  body text not null,
  created_at timestamptz not null,
  unique (invoice_id, sequence)
);
comment on table events is 'Facts told to the merchant, written in the transaction of the change.';
comment on column events.body is 'Sent as stored, byte for byte, on every attempt.';

create table alarms (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  kind text not null,
  subject text not null,
  details jsonb not null
);
comment on table alarms is 'What an operator must look at: found late, reverted after completion, sources that disagree, slots exhausted.';
