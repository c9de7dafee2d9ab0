-- expand
-- Webhook endpoints of stores, beside the callback URLs of invoices, and the events that only they receive.

create table webhook_endpoints (
  endpoint_id bigint primary key references endpoints (id),
  store_id bigint not null references stores (id),
  code text not null unique,
  url text not null check (length(url) <= 500),
  types text[] not null check (
    cardinality(types) > 0
    and types <@ array['invoice.processing', 'invoice.completed', 'invoice.expired', 'invoice.money_received']
  ),
  place smallint not null check (place between 1 and 10),
  created_at timestamptz not null,
  effective_at timestamptz not null,
  disabled_at timestamptz,
  deleted_at timestamptz check (deleted_at is null or disabled_at is not null),
  draining boolean not null default false
);
create unique index webhook_endpoints_of_store on webhook_endpoints (store_id, place) where deleted_at is null;
create index webhook_endpoints_draining on webhook_endpoints (endpoint_id) where draining;
comment on table webhook_endpoints is 'Endpoints that members set up for a store. Its row in endpoints has the code as its url, because a callback URL may be the same.';
comment on column webhook_endpoints.types is 'The types of events that are sent to it.';
comment on column webhook_endpoints.place is 'One of the ten places of a store: a constraint bounds them.';
comment on column webhook_endpoints.effective_at is 'Since when these types are sent: set when it is added or enabled, or when its types change.';
comment on column webhook_endpoints.draining is 'Disabled or deleted, and its pending deliveries may not have ended yet.';

create table webhook_endpoint_secrets (
  id bigint generated always as identity primary key,
  endpoint_id bigint not null references webhook_endpoints (endpoint_id),
  store_id bigint not null references stores (id),
  secret_id bigint not null references secrets (id),
  created_at timestamptz not null,
  expires_at timestamptz not null default 'infinity'
);
create index webhook_endpoint_secrets_of_endpoint on webhook_endpoint_secrets (endpoint_id, id);
comment on table webhook_endpoint_secrets is 'What the receiver at a webhook endpoint verifies its webhooks with. Two are live while one is rotated.';

comment on column endpoints.url is 'A callback URL, or the code of a webhook endpoint.';
comment on column events.sequence is 'The number of the event among all of its invoice.';

alter table events drop constraint events_type_check;
alter table events add constraint events_type_check check (
  type in ('invoice.completed', 'invoice.expired', 'invoice.processing', 'invoice.money_received', 'webhook.test')
) not valid;
