-- expand
-- The stores of a merchant are listed in the dashboard; without an index every list would read all stores.
create index concurrently stores_of_merchant on stores (merchant_account_id, id);
