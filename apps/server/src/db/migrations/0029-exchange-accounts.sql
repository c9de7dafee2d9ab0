-- expand
-- Exchange accounts: a store is paid into its own account at an exchange platform, which is followed by its statement.

-- A quote has two tiers: one settles it, one must be covered past the end before it may expire.
alter table quotes add column gate_tier text;
comment on column quotes.gate_tier is 'The tier that must be covered past the end before the invoice expires; null where it is finality.';
comment on column quotes.finality is 'The rule that settles it, fixed when it was made: conf:12, age:60, safe, finalized or credited.';

-- The ids of exchange accounts are numbers of their platform: each platform is a space of addresses of its own.
alter table receiving_addresses drop constraint receiving_addresses_family_check;
alter table receiving_addresses add constraint receiving_addresses_family_check
  check (family in ('evm', 'tron', 'solana') or family like 'EXCHANGE\_PAY:%') not valid;
comment on column receiving_addresses.family is 'The space of addresses: a family of chains, or the id of an exchange platform.';
comment on column wallets.family is 'As in receiving_addresses.';

create table exchange_accounts (
  network text collate "C" not null,
  account text collate "C" not null,
  merchant_account_id bigint not null references merchants (id),
  secret_id bigint not null references secrets (id),
  base_url text not null,
  key_hint text not null,
  bound_to_addresses boolean not null,
  is_sub_account boolean not null,
  key_expires_at timestamptz,
  added_at timestamptz not null,
  checked_at timestamptz not null,
  check_due_at timestamptz not null,
  fault text,
  faulty_since timestamptz,
  stopped_at timestamptz,
  stop_reason text,
  stopped_by text,
  removed_at timestamptz,
  overlap_read_at timestamptz,
  day_read_at timestamptz,
  latest_row_ms bigint,
  primary key (network, account),
  check ((stopped_at is null) = (stop_reason is null)),
  check ((stopped_at is null) = (stopped_by is null)),
  check ((fault is null) = (faulty_since is null))
);
create index exchange_accounts_by_check on exchange_accounts (check_due_at) where removed_at is null;
create index exchange_accounts_stopped on exchange_accounts (network, account) where stopped_at is not null;
create index exchange_accounts_removed on exchange_accounts (network, account) where removed_at is not null;
comment on table exchange_accounts is 'Accounts at exchange platforms that stores are paid into. Wallets of a store name them by network and account.';
comment on column exchange_accounts.account is 'The id of the account at its platform, read with the key.';
comment on column exchange_accounts.secret_id is 'The sealed key. A new key of the same account takes its place at once.';
comment on column exchange_accounts.base_url is 'Where the key works: platforms bind keys to a region.';
comment on column exchange_accounts.key_hint is 'The last characters of the key''s public part, to tell keys apart.';
comment on column exchange_accounts.bound_to_addresses is 'Whether the platform lets only listed addresses use the key.';
comment on column exchange_accounts.checked_at is 'When the platform last said what the key may do. An account that was not checked for 25 hours is not offered.';
comment on column exchange_accounts.check_due_at is 'When a worker asks again.';
comment on column exchange_accounts.fault is 'Why the account is not offered: its key cannot read, may do more than read, or nears its end.';
comment on column exchange_accounts.stopped_at is 'Since when nothing settles and nothing is covered here: a payment of a completed invoice is gone, or an operator stopped it.';
comment on column exchange_accounts.stopped_by is 'Who stopped it: a person, or a lost payment, which lets it go on when it is back.';
comment on column exchange_accounts.removed_at is 'When an operator gave the account up: its coverage is waived from then on.';
comment on column exchange_accounts.overlap_read_at is 'When the last half hour was read again.';
comment on column exchange_accounts.day_read_at is 'When the last slice of the last day was read again.';
comment on column exchange_accounts.latest_row_ms is 'The longest time between a row''s own time and the read that first showed it.';

create table platform_pauses (
  base_url text primary key,
  paused_until timestamptz not null,
  reason text not null
);
comment on table platform_pauses is 'Platforms that asked not to be called for a while, so that every process keeps away.';

alter table transfers add column other_id text, add column missing_since timestamptz;
comment on column transfers.other_id is 'Another id by which the payer''s app names the payment; null where tx_id is the only one.';
comment on column transfers.missing_since is 'Since when complete reads of an exchange account lack it; null while they show it.';
