-- expand
-- Exports: files with a merchant's rows, made by a worker and kept for some days.

create table exports (
  id bigint generated always as identity primary key,
  code text collate "C" not null unique,
  merchant_account_id bigint not null references merchants (id),
  person_id bigint not null references people (id),
  requested_by text not null check (length(requested_by) <= 40),
  kind text not null check (kind in ('invoices', 'transfers', 'statement', 'audit')),
  store_ids bigint[] not null check (cardinality(store_ids) <= 1000),
  whole_merchant boolean not null,
  from_at timestamptz,
  to_at timestamptz not null,
  status text check (length(status) <= 20),
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'expired')),
  slot smallint not null check (slot between 1 and 3),
  tries integer not null default 0 check (tries >= 0),
  has_chunks boolean not null default false,
  rows bigint check (rows >= 0),
  bytes bigint check (bytes >= 0),
  sha256 bytea check (length(sha256) = 32),
  fault text check (length(fault) <= 40),
  created_at timestamptz not null,
  done_at timestamptz,
  expires_at timestamptz,
  check ((state in ('done', 'expired')) = (sha256 is not null)),
  check (num_nulls(sha256, rows, bytes, expires_at) in (0, 4)),
  check ((state in ('queued', 'running')) = (done_at is null)),
  check ((state = 'failed') = (fault is not null))
);
create unique index exports_open on exports (merchant_account_id, slot) where state in ('queued', 'running');
create index exports_of_merchant on exports (merchant_account_id, created_at, id);
create index exports_expiring on exports (expires_at, id) where state = 'done';
create index exports_to_erase on exports (id) where has_chunks and state in ('failed', 'expired');
create index exports_over on exports (created_at, id) where not has_chunks and state in ('failed', 'expired');
comment on table exports is 'Files with rows of a merchant that somebody asked for. Made by a worker.';
comment on column exports.person_id is 'Who asked: what they may see is decided again when the file is made.';
comment on column exports.requested_by is 'The code of the person.';
comment on column exports.store_ids is 'The stores whose rows were asked for, as the person saw them then.';
comment on column exports.whole_merchant is 'Whether the person saw all stores of the merchant, and asked for no one of them.';
comment on column exports.from_at is 'Rows from this moment on; null for rows from the beginning.';
comment on column exports.to_at is 'Rows before this moment, which is at the latest that of the request.';
comment on column exports.status is 'Invoices of this status only; null for all.';
comment on column exports.state is 'queued, running; done: the file is whole; failed: there will be no file; expired: the file is gone.';
comment on column exports.slot is 'Which of the few places for exports under way at once it has: no two of a merchant have the same.';
comment on column exports.tries is 'How often a worker began it. Only the latest try writes chunks.';
comment on column exports.has_chunks is 'Whether chunks may be stored for it.';
comment on column exports.sha256 is 'Of the whole file.';
comment on column exports.fault is 'Why there is no file.';

create table export_chunks (
  export_id bigint not null references exports (id),
  number integer not null check (number >= 0),
  bytes bytea not null check (length(bytes) between 1 and 262144),
  primary key (export_id, number)
);
comment on table export_chunks is 'The files of exports in pieces. Deleted some days after the file was made.';
comment on column export_chunks.number is 'From zero, without a gap.';

-- Statements read the ledger of one store in its order.
create index ledger_entries_of_store on ledger_entries (store_id, id);
