-- Stores whose receivers do not answer are looked at in turns, endpoint by endpoint, however much of theirs waits.

create index concurrently deliveries_by_store on deliveries (store_id, endpoint_id, next_attempt_at) where state = 'pending';
