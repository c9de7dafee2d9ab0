-- expand
-- Operators who look at a merchant, and the functions by which rows are kept from everybody else.

create table operator_views (
  id bigint generated always as identity primary key,
  code text collate "C" not null unique,
  person_id bigint not null references people (id),
  session_hash bytea not null,
  merchant_account_id bigint not null references merchants (id),
  reason text not null check (length(reason) between 1 and 500),
  started_at timestamptz not null,
  ends_at timestamptz not null,
  ended_at timestamptz
);
create index operator_views_of_session on operator_views (session_hash, merchant_account_id) where ended_at is null;
create index operator_views_of_person on operator_views (person_id, ends_at) where ended_at is null;
comment on table operator_views is 'Times in which an operator could look at a merchant, changing nothing. Its owners were told.';
comment on column operator_views.session_hash is 'The session that may look; no other session of the operator may.';
comment on column operator_views.ended_at is 'When the operator ended it before its time; null otherwise.';

-- The two settings below are those of a request to the dashboard's server: the person who is signed in, and the hash of
-- the link that was followed. Without them nobody has a merchant.
create function own_merchants() returns bigint[]
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(array_agg(m.merchant_account_id), '{}') from memberships m
  where m.person_id = nullif(current_setting('counterfoil.person', true), '')::bigint
$$;

-- The merchants that an operator looks at.
create function seen_merchants() returns bigint[]
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(array_agg(v.merchant_account_id), '{}') from operator_views v join people p on p.id = v.person_id and p.operator_role is not null and p.disabled_at is null
  where v.person_id = nullif(current_setting('counterfoil.person', true), '')::bigint
    and v.ended_at is null and v.ends_at > now()
$$;

create function linked_merchants() returns bigint[]
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(array_agg(l.id), '{}') from (
    select i.merchant_account_id as id from invitations i
    where i.token_hash = decode(current_setting('counterfoil.link', true), 'hex')
    union
    select i.merchant_account_id from link_tokens t join invitations i on i.id = t.invitation_id
    where t.hash = decode(current_setting('counterfoil.link', true), 'hex')
    union
    select t.merchant_account_id from link_tokens t
    where t.hash = decode(current_setting('counterfoil.link', true), 'hex') and t.merchant_account_id is not null) l
$$;

create function is_operator() returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select exists (select from people p
    where p.id = nullif(current_setting('counterfoil.person', true), '')::bigint
      and p.operator_role is not null and p.disabled_at is null)
$$;
