-- expand
-- Only the owner of a table can make and drop its partitions: these functions do so in its name, for whoever may call them.

-- To make or drop a partition stops everybody who uses the table: better later than for long.
create function make_partitions(month date) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp set timezone = 'UTC' set lock_timeout = '500ms' as $$
declare
  parent record;
  first_day date;
  next_month date;
  partition text;
  strayed boolean;
begin
  -- Needed, because two that make the same partition at once fail each other. Earlier versions take the same lock.
  perform pg_advisory_xact_lock(790275);
  for parent in
    select * from (values ('ledger_entries', 'period', true), ('attempts', 'at', false)) as p (name, key, append_only)
  loop
    for ahead in 0..3 loop
      first_day := date_trunc('month', month) + make_interval(months => ahead);
      next_month := first_day + interval '1 month';
      partition := format('%s_%s', parent.name, to_char(first_day, 'YYYY_MM'));
      continue when to_regclass(format('public.%I', partition)) is not null;
      -- Rows of a month that came before its partition stay in the default one: to make it then would fail.
      execute format('select exists (select from public.%I where %I >= %L and %I < %L)', parent.name || '_default', parent.key,
        first_day, parent.key, next_month) into strayed;
      continue when strayed;
      execute format('create table public.%I partition of public.%I for values from (%L) to (%L)', partition, parent.name,
        first_day, next_month);
      -- Row triggers are inherited, those on truncate are not.
      if parent.append_only then
        execute format('create trigger %I before truncate on public.%I for each statement execute function public.refuse_change()',
          partition || '_never_emptied', partition);
      end if;
    end loop;
  end loop;
end $$;
comment on function make_partitions(date) is 'Makes the partitions of a month and the next three. Safe to repeat and to run in several processes.';
revoke execute on function make_partitions(date) from public;

create function drop_oldest_attempts(before timestamptz) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp set timezone = 'UTC' set lock_timeout = '500ms' as $$
declare
  oldest text;
begin
  -- The least retention counts from our own clock: whoever calls this may not delete attempts, and says when it is.
  select c.relname into oldest from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'public.attempts'::regclass and c.relname ~ '^attempts_[0-9]{4}_[0-9]{2}$'
    and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= least(before, now() - interval '30 days')
  order by c.relname limit 1;
  if oldest is not null then
    execute format('drop table if exists public.%I', oldest);
  end if;
  return oldest;
end $$;
comment on function drop_oldest_attempts(timestamptz) is 'Drops the oldest month of attempts that ended before a moment, and 30 days ago at least; returns its name, if there was one.';
revoke execute on function drop_oldest_attempts(timestamptz) from public;
