-- expand
-- Merchants that users open themselves, where registration is open: at most three each, with one fee trial, and in test
-- mode until they are approved.

alter table merchants add column opened_by bigint references people (id);
alter table merchants add column approved_at timestamptz;
create index merchants_by_opener on merchants (opened_by) where opened_by is not null;
comment on column merchants.opened_by is 'The user who opened the merchant without an operator; null when an operator did.';
comment on column merchants.approved_at is 'When a merchant that a user opened was approved for live stores; null while it waits, and for merchants of operators.';

alter table people add column fee_trial_at timestamptz;
comment on column people.fee_trial_at is 'When the first live store of the merchants that this user opened began its fee trial; there is no second one.';

-- Opens a merchant for the sender of a request, who becomes its owner; null for a user who has opened three. Users wait
-- for each other's count at their own row.
create function open_own_merchant(merchant_name text, merchant_shard text, is_approved boolean, at timestamptz) returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  me constant bigint := nullif(current_setting('counterfoil.person', true), '')::bigint;
  opened bigint;
begin
  perform from people where id = me and verified_at is not null and disabled_at is null for no key update;
  if not found or (select count(*) from merchants where opened_by = me) >= 3 then
    return null;
  end if;
  insert into merchants (name, shard, created_at, opened_by, approved_at)
  values (merchant_name, merchant_shard, at, me, case when is_approved then at end) returning id into opened;
  insert into memberships (merchant_account_id, person_id, role, since) values (opened, me, 'owner', at);
  return opened;
end
$$;
