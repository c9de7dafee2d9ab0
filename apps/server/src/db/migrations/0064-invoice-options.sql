-- expand
-- What a create request may choose for its invoice. Null where it did not, and on invoices of earlier versions.
alter table invoices add column lifetime_minutes smallint, add column metadata jsonb, add column methods text[];
-- Not validated: the table may be large, and new columns are null.
alter table invoices
  add constraint invoices_lifetime_check check (lifetime_minutes between 10 and 1440) not valid,
  add constraint invoices_metadata_check check (jsonb_typeof(metadata) = 'object') not valid,
  add constraint invoices_methods_check check (cardinality(methods) > 0) not valid;
comment on column invoices.lifetime_minutes is 'Fixed at creation: it stays when the end of a test invoice is moved.';
comment on column invoices.metadata is 'The merchant''s own texts by name.';
comment on column invoices.methods is 'The only payment methods that it offers, such as BSC:USDT; null: all of its store.';
