-- expand
-- Months of security events are dropped like those of attempts: emptied partitions would stay for ever.

create function drop_oldest_month(parent text, before timestamptz) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp set timezone = 'UTC' set lock_timeout = '500ms' as $$
declare
  oldest text;
begin
  if parent not in ('attempts', 'security_events') then
    raise exception 'months of % are kept', parent;
  end if;
  -- At least 30 days are kept by the database's clock, whatever moment the caller names.
  select c.relname into oldest from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = format('public.%I', parent)::regclass and c.relname ~ format('^%s_[0-9]{4}_[0-9]{2}$', parent)
    and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= least(before, now() - interval '30 days')
  order by c.relname limit 1;
  if oldest is not null then
    execute format('drop table if exists public.%I', oldest);
  end if;
  return oldest;
end $$;
comment on function drop_oldest_month(text, timestamptz) is 'Drops the oldest month of attempts or security events that ended before a time and at least 30 days ago. Returns its name, or null.';
revoke execute on function drop_oldest_month(text, timestamptz) from public;
