-- expand
-- The merchants whose rows a request can reach. A restore of earlier credentials locks the payment methods of all merchants
-- of its person, also where it leaves the person without a two-factor method. The condition of `lacks_two_factor` is
-- repeated, because a call for each membership would look up each merchant. PL/pgSQL keeps the plan: every statement of the
-- dashboard calls this, and planning costs more than running.
create or replace function own_merchants() returns bigint[]
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  me constant bigint := nullif(current_setting('counterfoil.person', true), '')::bigint;
begin
  return (
    select coalesce(array_agg(m.merchant_account_id), '{}') from memberships m
    where m.person_id = me
      and (not exists (select from merchants a where a.two_factor_required and a.id = m.merchant_account_id)
        or exists (select from totp t where t.person_id = me and t.confirmed_at is not null)
        or exists (select from passkeys k where k.person_id = me)
        or exists (select from credential_restores r where r.person_id = me and r.stopped_at is null
          and (r.applied_at is null or r.applied_at > now() - interval '1 minute'))));
end
$$;

-- The merchants of a request's sender, also those that they cannot use without two-factor authentication.
create or replace function joined_merchants() returns bigint[]
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  me constant bigint := nullif(current_setting('counterfoil.person', true), '')::bigint;
begin
  return (select coalesce(array_agg(m.merchant_account_id), '{}') from memberships m where m.person_id = me);
end
$$;
