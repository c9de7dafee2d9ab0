-- expand
-- Accounts of the sandbox where nothing settles: few, and every decision about a payment asks for them.
create index concurrently followed_accounts_stopped on followed_accounts (network, account) where stopped_at is not null;
