-- expand
-- Payers may paste either id of an exchange payment.
create index concurrently transfers_by_other_id on transfers (network, other_id) where other_id is not null;
