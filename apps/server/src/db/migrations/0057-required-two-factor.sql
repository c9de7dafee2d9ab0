-- expand
-- An owner can require two-factor authentication of the team. Members without it have no access until they set it up.

alter table merchants add column two_factor_required boolean not null default false;
comment on column merchants.two_factor_required is 'Whether members without a two-factor method have no access. An owner sets it.';

-- A two-factor method is a confirmed authenticator app or a passkey. Recovery codes alone are none.
create function lacks_two_factor(merchant bigint, person bigint) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select a.two_factor_required
    and not exists (select from totp t where t.person_id = person and t.confirmed_at is not null)
    and not exists (select from passkeys k where k.person_id = person)
  from merchants a where a.id = merchant
$$;

-- The merchants whose rows a request can reach. A restore of earlier credentials locks the payment methods of all merchants
-- of its person, also where it leaves the person without a two-factor method.
create or replace function own_merchants() returns bigint[]
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(array_agg(m.merchant_account_id), '{}') from memberships m
  where m.person_id = nullif(current_setting('counterfoil.person', true), '')::bigint
    and (not lacks_two_factor(m.merchant_account_id, m.person_id)
      or exists (select from credential_restores r where r.person_id = m.person_id and r.stopped_at is null
        and (r.applied_at is null or r.applied_at > now() - interval '1 minute')))
$$;

-- The merchants of a request's sender, also those that they cannot use without two-factor authentication.
create function joined_merchants() returns bigint[]
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(array_agg(m.merchant_account_id), '{}') from memberships m
  where m.person_id = nullif(current_setting('counterfoil.person', true), '')::bigint
$$;

-- The owners of the merchants that require two-factor authentication of a person. Asked by requests that can no longer
-- reach those merchants.
create function two_factor_owners(person bigint) returns table (merchant_account_id bigint, owner_id bigint)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select o.merchant_account_id, o.person_id
  from memberships m
  join merchants a on a.id = m.merchant_account_id and a.two_factor_required
  join memberships o on o.merchant_account_id = m.merchant_account_id and o.role = 'owner' and o.person_id <> m.person_id
  join people p on p.id = o.person_id and p.disabled_at is null
  where m.person_id = person
$$;
