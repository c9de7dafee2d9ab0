-- expand
-- Whoever enters something in the audit names its subject; which merchant may read it follows from that. A trigger, so that
-- entries of a version that does not know the column have it too.
create function audited_merchant() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  subject_kind constant text := split_part(new.subject, ':', 1);
  subject_name constant text := split_part(new.subject, ':', 2);
begin
  new.merchant_account_id := case
    when subject_kind = 'merchant' and subject_name ~ '^[0-9]{1,18}$' then subject_name::bigint
    when subject_kind = 'store' and subject_name ~ '^[0-9]{1,18}$' then (select s.merchant_account_id from stores s where s.id = subject_name::bigint)
    when subject_kind = 'invoice' then
      (select s.merchant_account_id from invoices i join stores s on s.id = i.store_id where i.trans_id = subject_name)
  end;
  return new;
end $$;

create trigger audit_entries_name_merchant before insert on audit_entries
  for each row execute function audited_merchant();
