-- Accounts: one transaction that cannot be read holds nothing back but coverage, and first reads have a time and a reader.

create table unreadable_transactions (
  network text collate "C" not null,
  account text collate "C" not null,
  tx_id text collate "C" not null,
  height bigint not null,
  below_time timestamptz not null,
  fault text not null check (fault in ('version', 'malformed', 'missing')),
  reason text not null,
  seen_at timestamptz not null default clock_timestamp(),
  tries integer not null default 1,
  next_try_at timestamptz not null default clock_timestamp(),
  alarmed_at timestamptz,
  passed_at timestamptz,
  primary key (network, account, tx_id)
);
create index unreadable_transactions_by_tx on unreadable_transactions (network, tx_id);
comment on table unreadable_transactions is 'Transactions that are listed for an account and that no provider lets us read. The account is not covered past them; other payments there settle by their own mark. Gone when they could be read after all.';
comment on column unreadable_transactions.below_time is 'Of the newest block below it: up to there the account can be covered.';
comment on column unreadable_transactions.fault is 'version: newer than we know. malformed: cannot be decoded. missing: listed and not given, mostly for a moment.';
comment on column unreadable_transactions.next_try_at is 'In database time; the distance doubles with every try, up to ten minutes.';
comment on column unreadable_transactions.alarmed_at is 'When a person was told; once for a transaction, however many accounts it concerns.';
comment on column unreadable_transactions.passed_at is 'When an operator decided that the account goes on without it; by whom and why is in the audit.';

alter table followed_accounts
  add column read_at timestamptz not null default clock_timestamp(),
  add column read_by text,
  add column earlier_height bigint,
  add column earlier_time timestamptz,
  add column earlier_at timestamptz,
  add column unstartable_at timestamptz;
comment on column followed_accounts.read_at is 'When the first read that ends at the cursor was made, in database time: a second read covers what is old enough.';
comment on column followed_accounts.read_by is 'The provider that made every first read above coverage; null when there were several.';
comment on column followed_accounts.earlier_height is 'Where an earlier first read ended, above coverage: while reads follow each other closely, it is the one that grows old.';
comment on column followed_accounts.earlier_time is 'The time of that block.';
comment on column followed_accounts.earlier_at is 'When that read was made, in database time.';
comment on column followed_accounts.unstartable_at is 'Since when no provider has kept what it would begin with; a person was told then. Null once it is followed.';
