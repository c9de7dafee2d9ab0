-- expand
-- How often each API key is used, who switched a store off, and whom a payer with a problem can ask.

create table api_key_days (
  key_id bigint not null references api_keys (id),
  store_id bigint not null references stores (id),
  day date not null,
  calls bigint not null check (calls > 0),
  last_used_at timestamptz not null,
  primary key (key_id, day)
);
create index api_key_days_by_day on api_key_days (day);
comment on table api_key_days is 'How often an API key was used on a day in UTC. Counted in memory and added every few seconds, so a process that is killed loses its last seconds: the numbers can be too low, never too high.';
comment on column api_key_days.store_id is 'The store of the key, by which rows are kept from other merchants.';
comment on column api_key_days.calls is 'Requests with this key, refused ones too.';
comment on column api_key_days.last_used_at is 'The last of these requests.';

alter table stores add column switched_off_by text check (length(switched_off_by) <= 200);
comment on column stores.switched_off_by is 'Who switched the store off, as the audit names them. A member switches on only what a member switched off.';

alter table brands
  add column support_url text check (support_url ~ '^https://' and length(support_url) <= 500),
  add column support_email text check (support_email ~ '^[^@]+@[^@]+$' and length(support_email) <= 254);
comment on column brands.support_url is 'Where payers with a problem find help, on pages of expired, short and late payments.';
comment on column brands.support_email is 'The mail address that such payers can write to.';
