-- expand
-- Row security asks for the stores of a request's sender once per statement, where rows name their store and not their
-- merchant.
create function own_stores() returns bigint[]
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(array_agg(s.id), '{}') from stores s where s.merchant_account_id = any (own_merchants())
$$;

-- The stores of the merchants that an operator looks at.
create function seen_stores() returns bigint[]
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(array_agg(s.id), '{}') from stores s where s.merchant_account_id = any (seen_merchants())
$$;
