-- expand
-- Every statement of the dashboard asks which merchants require two-factor authentication. They are few.
create index concurrently merchants_requiring_two_factor on merchants (id) where two_factor_required;
