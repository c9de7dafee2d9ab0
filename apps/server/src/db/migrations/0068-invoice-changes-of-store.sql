-- expand
-- The order in which the invoices of a store ended, for lists by API key. The position of an end is taken under the lock of the store's row, which is held until commit: none becomes visible after a later one.
create table store_positions (
  store_id bigint primary key references stores (id),
  position bigint not null,
  taken integer not null
) with (fillfactor = 50);
comment on table store_positions is 'The newest position of an end of each store''s invoices.';
comment on column store_positions.position is 'In microseconds since 1970: a position is also a time, and goes on after a failover that lost the newest rows.';
comment on column store_positions.taken is 'How many positions the latest transaction took, up to this one.';
alter table invoices add column change_position bigint;
comment on column invoices.change_position is 'Of its latest end; null while it is open, and where an earlier version ended it.';
