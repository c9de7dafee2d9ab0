-- Keys that a payer's wallet puts beside a payment (Solana Pay): they tell which quote it is for.

alter table quotes add column reference text collate "C";
create unique index quotes_by_reference on quotes (reference) where reference is not null;
comment on column quotes.reference is 'A random key that no other quote has; null on networks whose payments cannot carry one.';

alter table transfers add column reference_keys text[];
comment on column transfers.reference_keys is 'Keys that the transaction named beside the payment; null when there were none.';
