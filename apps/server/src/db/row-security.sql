-- Which rows the roles of the dashboard's server see and change: those of the merchants of the person who is signed in,
-- whatever a statement asks for. Other roles see all rows. Run after grants.sql; safe to repeat. A table whose conditions
-- have not changed is not locked.

do $$
declare
  wanted record;
  own constant text := 'any ((select own_merchants())::bigint[])';
  -- Members without the two-factor authentication that their merchant requires see its name and their own membership only.
  joined constant text := 'any ((select joined_merchants())::bigint[])';
  is_own constant text := 'person_id = (select nullif(current_setting(''counterfoil.person'', true), '''')::bigint)';
  own_or_linked constant text := 'any ((select own_merchants() || linked_merchants())::bigint[])';
  seen constant text := 'any ((select seen_merchants())::bigint[])';
  own_store constant text := 'store_id = any ((select own_stores())::bigint[])';
  seen_store constant text := 'store_id = any ((select seen_stores())::bigint[])';
  of_invoice constant text := 'exists (select from invoices i where i.id = quotes.invoice_id and i.%s)';
  of_delivery constant text := 'exists (select from deliveries d where d.id = attempts.delivery_id and d.%s)';
  -- Money belongs to the merchant at whose address it arrived; an address belongs to one merchant for ever.
  of_wallet constant text := 'exists (select from wallets w
    where w.network = transfers.network and w.address = transfers.to_address and w.merchant_account_id = %s)';
  of_export constant text := 'exists (select from exports e where e.id = export_chunks.export_id and e.merchant_account_id = %s)';
  of_store constant text := 'exists (select from stores s where s.id = %I.store_id and s.merchant_account_id = %s)';
  mark text;
begin
  for wanted in
    select * from (values
      ('merchants', format('id = %s', own_or_linked), format('id = %s or id = %s or (select is_operator())', seen, joined)),
      ('memberships', format('merchant_account_id = %s', own_or_linked), format('merchant_account_id = %s or %s', seen, is_own)),
      ('former_owners', format('merchant_account_id = %s', own_or_linked), format('merchant_account_id = %s', seen)),
      ('membership_stores', format('merchant_account_id = %s', own), format('merchant_account_id = %s', seen)),
      ('invitations', format('merchant_account_id = %s', own_or_linked), format('merchant_account_id = %s', seen)),
      ('method_changes', format('merchant_account_id = %s', own_or_linked), format('merchant_account_id = %s', seen)),
      ('stores', format('merchant_account_id = %s', own), format('merchant_account_id = %s', seen)),
      ('webhook_secrets', format(of_store, 'webhook_secrets', own), format(of_store, 'webhook_secrets', seen)),
      ('wallets', format('merchant_account_id = %s', own), format('merchant_account_id = %s', seen)),
      ('api_keys', format(of_store, 'api_keys', own), format(of_store, 'api_keys', seen)),
      ('api_key_days', own_store, seen_store),
      ('exchange_accounts', format('merchant_account_id = %s', own), format('merchant_account_id = %s', seen)),
      ('invoices', own_store, seen_store),
      ('quotes', format(of_invoice, own_store), format(of_invoice, seen_store)),
      ('transfers', format(of_wallet, own), format(of_wallet, seen)),
      ('ledger_entries', own_store, seen_store),
      ('balances', own_store, seen_store),
      ('topups', own_store, seen_store),
      ('brands', own_store, seen_store),
      ('events', own_store, seen_store),
      ('deliveries', own_store, seen_store),
      ('endpoints', own_store, seen_store),
      ('webhook_endpoints', own_store, seen_store),
      ('webhook_endpoint_secrets', own_store, seen_store),
      ('attempts', format(of_delivery, own_store), format(of_delivery, seen_store)),
      ('named_transactions', own_store, seen_store),
      ('audit_entries', format('merchant_account_id = %s', own), format('merchant_account_id = %s', seen)),
      ('exports', format('merchant_account_id = %s', own), format('merchant_account_id = %s', seen)),
      ('export_chunks', format(of_export, own), format(of_export, seen)),
      ('store_days', own_store, seen_store),
      ('notice_settings', format('merchant_account_id = %s', own), format('merchant_account_id = %s', seen)),
      ('attachments', format('merchant_account_id = %s', own), format('merchant_account_id = %s', seen)),
      ('dismissed_transfers', format('merchant_account_id = %s', own), format('merchant_account_id = %s', seen)),
      ('sandbox_acts', own_store, seen_store),
      ('cancel_requests', own_store, seen_store)
    ) as w (name, changed, shown)
    -- What a new row must be besides: whatever it names is of the same merchant, or nobody else's can be reached by it.
    left join (values
      ('deliveries', 'exists (select from events e join endpoints p on p.store_id = e.store_id
        where e.id = deliveries.event_row_id and p.id = deliveries.endpoint_id and e.store_id = deliveries.store_id)'),
      ('webhook_endpoints', 'exists (select from endpoints p where p.id = webhook_endpoints.endpoint_id
        and p.store_id = webhook_endpoints.store_id)'),
      ('webhook_endpoint_secrets', 'exists (select from webhook_endpoints w where w.endpoint_id = webhook_endpoint_secrets.endpoint_id
        and w.store_id = webhook_endpoint_secrets.store_id)'),
      ('attachments', 'exists (select from invoices i where i.id = attachments.invoice_id and i.store_id = attachments.store_id)
        and exists (select from transfers t where t.id = attachments.transfer_id)'),
      ('dismissed_transfers', 'exists (select from transfers t where t.id = dismissed_transfers.transfer_id)'),
      ('cancel_requests', 'exists (select from invoices i where i.id = cancel_requests.invoice_id and i.store_id = cancel_requests.store_id)'),
      ('sandbox_acts', 'exists (select from invoices i join stores s on s.id = i.store_id and not s.live
        where i.id = sandbox_acts.invoice_id and i.store_id = sandbox_acts.store_id)')
    ) as a (name, added) using (name)
  loop
    mark := md5(concat_ws(' ', wanted.changed, wanted.shown, wanted.added));
    continue when exists (
      select from pg_policy p join pg_class c on c.oid = p.polrelid
      where c.oid = format('public.%I', wanted.name)::regclass and c.relrowsecurity and p.polname = 'own_merchants'
        and obj_description(p.oid, 'pg_policy') = mark);
    execute format('alter table public.%I enable row level security', wanted.name);
    execute format('drop policy if exists all_merchants on public.%I', wanted.name);
    execute format('drop policy if exists own_merchants on public.%I', wanted.name);
    execute format('drop policy if exists seen_merchants on public.%I', wanted.name);
    -- An entry of the audit continues the numbers of all others, so whoever adds one reads the last number.
    execute format('create policy all_merchants on public.%I to counterfoil_api, counterfoil_worker, counterfoil_admin%s '
      'using (true) with check (true)', wanted.name, case when wanted.name = 'audit_entries' then ', counterfoil_dashboard' else '' end);
    execute format('create policy own_merchants on public.%I to counterfoil_dashboard, counterfoil_views using (%s) with check (%s)',
      wanted.name, wanted.changed, concat_ws(' and ', wanted.changed, wanted.added));
    execute format('create policy seen_merchants on public.%I for select to counterfoil_dashboard, counterfoil_views using (%s)',
      wanted.name, wanted.shown);
    execute format('comment on policy own_merchants on public.%I is %L', wanted.name, mark);
  end loop;
end $$;
