-- expand
-- Pending rows of exchange accounts are read again until they are final, failed or too old. They are few among all.
create index concurrently transfers_pending on transfers (network, to_address, height) where canonical and block_hash = 'pending';
