-- expand
-- Who was an owner, and at which email address, when a payment-method change is requested: all of them are notified.

create table former_owners (
  merchant_account_id bigint not null references merchants (id),
  person_id bigint not null references people (id),
  ended_at timestamptz not null,
  primary key (merchant_account_id, person_id)
);
comment on table former_owners is 'People who were owners of a merchant until they were removed or demoted.';
comment on column former_owners.ended_at is 'When the person was last removed or demoted. For seven days they are notified like owners.';

alter table address_changes add column replaced_shown text check (length(replaced_shown) <= 254);
comment on column address_changes.replaced_shown is 'The email address that the change replaced; null until it is confirmed.';

-- A shorter delay of payment-method changes applies only after the present one has passed.
alter table merchants
  add column shorter_delay_hours integer check (shorter_delay_hours between 1 and 168),
  add column shorter_delay_at timestamptz,
  add constraint merchants_shorter_delay check ((shorter_delay_hours is null) = (shorter_delay_at is null));
comment on column merchants.shorter_delay_hours is 'The delay in place of change_delay_hours from shorter_delay_at on; null when none was asked for.';
