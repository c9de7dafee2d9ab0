-- expand
-- Lists by API key: ended invoices of a store in the order in which they ended. Those of earlier versions have no position.
create index concurrently invoices_completed_of_store on invoices
  (store_id, (coalesce(change_position, (extract(epoch from ended_at - '1970-01-01 00:00:00+00'::timestamptz) * 1000000)::bigint)), id)
  where status = 'completed';
create index concurrently invoices_expired_of_store on invoices
  (store_id, (coalesce(change_position, (extract(epoch from ended_at - '1970-01-01 00:00:00+00'::timestamptz) * 1000000)::bigint)), id)
  where status = 'expired';
