-- expand
-- Lists of deliveries and replays of a time range read rows of one store; deliveries that a person asked for are marked.
create index concurrently deliveries_of_store on deliveries (store_id, id);
create index concurrently deliveries_failed_of_store on deliveries (store_id, id) where state = 'failed';
create index concurrently events_of_store on events (store_id, created_at);
alter table deliveries add column if not exists by_hand boolean not null default false;
comment on column deliveries.by_hand is 'A person asked for it: its attempts say nothing about the health of the endpoint, unless they are probes.';
create index concurrently deliveries_by_hand_of_store on deliveries (store_id, created_at) where by_hand;
