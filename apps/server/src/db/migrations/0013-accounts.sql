-- Networks that are read account by account: which accounts, how far, and expiry behind the coverage of each.

create table followed_accounts (
  network text collate "C" not null,
  account text collate "C" not null,
  state text not null default 'starting' check (state in ('starting', 'following', 'idle')),
  start_at timestamptz not null,
  open_until timestamptz not null,
  rests_until timestamptz not null default '-infinity',
  height bigint not null default 0,
  block_time timestamptz not null default '-infinity',
  version bigint not null default 0,
  next_read_at timestamptz not null default '-infinity',
  failures integer not null default 0,
  last_error text,
  doubted_at timestamptz,
  primary key (network, account)
);
create index followed_accounts_due on followed_accounts (network, next_read_at) where state <> 'idle';
comment on table followed_accounts is 'Receiving addresses on networks that are read account by account. Kept when idle: the cursor goes on from there.';
comment on column followed_accounts.state is 'starting until its first height is decided; idle when no amount at it is open or rests.';
comment on column followed_accounts.start_at is 'A payment may be this old: where to begin.';
comment on column followed_accounts.open_until is 'The latest end of an invoice that was quoted here. Read often until covered past it, seldom while amounts rest.';
comment on column followed_accounts.rests_until is 'Until then an amount here is known to rest: nobody need look for one.';
comment on column followed_accounts.height is 'The cursor of the first look. What was read twice is chain_coverage, with the account as its scope.';
comment on column followed_accounts.version is 'Raised by every change of what was read: whoever commits compares it.';
comment on column followed_accounts.next_read_at is 'In database time. A claim moves it on: a killed worker delays its accounts by seconds.';
comment on column followed_accounts.doubted_at is 'Since when the second look lacks something that the first one saw.';

create table account_demands (
  id bigint generated always as identity primary key,
  network text collate "C" not null,
  account text collate "C" not null,
  start_at timestamptz not null,
  open_until timestamptz not null
);
create index account_demands_by_network on account_demands (network, id);
comment on table account_demands is 'Written with a quote, taken up by a reader: a selection must not wait for the lock of an account that is being read.';

alter table invoices add column gate_scope text collate "C" not null default '';
comment on column invoices.gate_scope is 'Empty for a network that is read whole; the quoted address where accounts are read.';
create index invoices_by_scope on invoices (gate_network, gate_tier, gate_scope, expires_at) where status = 'waiting';
drop index invoices_by_gate;

create index transfers_by_account on transfers (network, to_address, height);

comment on table chains is 'One row per followed chain. height and hash are the cursor: every block up to it was read and linked. Where accounts are read, height is the final block and hash is empty.';
