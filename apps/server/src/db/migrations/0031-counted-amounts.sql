-- expand
-- Metrics count amounts that are held, except those that are reserved: with their units in the index no row is read.
create index concurrently amount_slots_counted on amount_slots (network, token, held_until, display_units);
drop index concurrently if exists amount_slots_held;
