-- What workers ask again and again must not cost more the more there was. Tables are full by now: built beside writers.

-- Whether an amount of a coin is open or rests, and how many are.
create index concurrently amount_slots_held on amount_slots (network, token, held_until);
-- Until when something is open or rests at an address: that of a removed wallet, or of an account.
create index concurrently amount_slots_at_address on amount_slots (network, address, held_until);

-- Transfers that wait to be told why they match no amount.
create index concurrently transfers_unexplained on transfers (network, id) where not explained;
-- How many pay nothing, by reason.
create index concurrently transfers_by_reason on transfers (network, reason) where reason is not null;

-- The addresses to watch on a network, and those of a merchant.
create index concurrently wallets_by_network on wallets (network, address);
create index concurrently wallets_by_merchant on wallets (merchant_account_id, network, address);

-- Attempts that no month's partition has.
create index concurrently attempts_default_by_at on attempts_default (at);

-- Alarms of a kind, the newest first: one is raised once while its cause lasts.
create index concurrently alarms_by_kind on alarms (kind, id);

alter table chains add column if not exists head_read_at timestamptz;
comment on column chains.head_read_at is 'When the head was read, by our clock: a head that is far from it says that our clock is wrong.';
