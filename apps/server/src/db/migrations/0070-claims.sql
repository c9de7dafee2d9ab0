-- expand
-- Payments of a wrong amount: customers are asked whether one was theirs, and merchants are notified of their claims.

alter table quotes add column near_transfer_id bigint;
comment on column quotes.near_transfer_id is 'The newest transfer near its amount that may as well be meant for another open quote at its address: the customer is asked for the hash.';

alter table notices drop constraint notices_kind_check, add constraint notices_kind_check
  check (kind in ('low-balance', 'endpoint-failing', 'endpoint-down', 'unmatched-money', 'payment-claimed', 'api-key-ending', 'exchange-key-ending'));
