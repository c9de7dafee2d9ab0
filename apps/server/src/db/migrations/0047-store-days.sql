-- expand
-- Figures of each store and day, and what people were told about by mail.

create table store_days (
  store_id bigint not null references stores (id),
  day date not null,
  network text collate "C" not null,
  token text collate "C" not null,
  created integer not null default 0 check (created >= 0),
  completed integer not null default 0 check (completed >= 0),
  expired integer not null default 0 check (expired >= 0),
  late integer not null default 0 check (late >= 0),
  volume_usd numeric(30, 8) not null default 0 check (volume_usd >= 0 and volume_usd < 'Infinity'),
  fee_micro_usd bigint not null default 0 check (fee_micro_usd >= 0),
  detect_counts integer[] not null default '{}',
  final_counts integer[] not null default '{}',
  primary key (store_id, day, network, token)
);
comment on table store_days is 'Counts and sums of each store and UTC day, recounted from invoices. Kept for ever: statements are made of them.';
comment on column store_days.network is 'Of the payment; empty for what no payment tells: created and expired.';
comment on column store_days.created is 'Invoices by the day on which they were created.';
comment on column store_days.completed is 'Invoices by the day on which they were completed, also late ones of older invoices.';
comment on column store_days.expired is 'Invoices by the day on which they expired, also those that were paid later.';
comment on column store_days.late is 'Of the completed ones, those whose money came or was found after their end.';
comment on column store_days.volume_usd is 'What the completed invoices asked for.';
comment on column store_days.fee_micro_usd is 'Fees of the completed invoices.';
comment on column store_days.detect_counts is 'How many payments took how long from their block to our first read; which span each place stands for is in code and never changes.';
comment on column store_days.final_counts is 'The same for the time from the block to completion.';

create table counted_days (
  day date primary key,
  counted_at timestamptz not null,
  took_ms integer not null check (took_ms >= 0),
  closed_at timestamptz
);
comment on table counted_days is 'Days whose figures were counted, and when. A day without a row was never counted.';
comment on column counted_days.took_ms is 'How long the count took: a day that is slow to count is counted less often.';
comment on column counted_days.closed_at is 'When the day was counted for the last time.';

alter table invoices add column expired_at timestamptz;
comment on column invoices.expired_at is 'When it had expired, of an invoice that was completed afterwards; null for all others.';

alter table endpoints add column failing_since timestamptz, add column answered_at timestamptz;
comment on column endpoints.failing_since is 'Since when no attempt has succeeded; null when the latest one did, or none was made.';
comment on column endpoints.answered_at is 'When it first took a webhook.';

create table notices (
  id bigint generated always as identity primary key,
  merchant_account_id bigint not null references merchants (id),
  store_id bigint references stores (id),
  kind text collate "C" not null check (kind in ('low-balance', 'endpoint-failing', 'endpoint-down', 'unmatched-money', 'api-key-ending', 'exchange-key-ending')),
  subject text collate "C" not null check (length(subject) <= 320),
  at timestamptz not null,
  over_at timestamptz
);
create unique index notices_open on notices (merchant_account_id, kind, subject) where over_at is null;
create index notices_lasting on notices (kind, id) where over_at is null;
create index notices_latest on notices (merchant_account_id, kind, at);
create index notices_by_age on notices (at);
comment on table notices is 'Facts that people were told by mail: each once, and again only after it was over.';
comment on column notices.store_id is 'Null for what concerns the merchant as a whole.';
comment on column notices.subject is 'What it is about, for example the id of an endpoint.';
comment on column notices.over_at is 'When the fact was over; null while it lasts.';

create table notice_settings (
  merchant_account_id bigint not null,
  person_id bigint not null,
  topic text collate "C" not null check (topic in ('balance', 'webhooks', 'unmatched-money', 'api-keys', 'exchange-keys')),
  wanted boolean not null,
  primary key (merchant_account_id, person_id, topic),
  foreign key (merchant_account_id, person_id) references memberships (merchant_account_id, person_id) on delete cascade
);
comment on table notice_settings is 'What members want to be told by mail about a merchant. Without a row: whatever their role may see.';
