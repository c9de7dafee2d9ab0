-- What price sources said last, and what they agreed on during the last minutes.

create table price_reports (
  source text not null,
  token text not null,
  usd numeric(30, 12) not null check (usd > 0 and usd < 'infinity'),
  observed_at timestamptz not null,
  primary key (source, token)
);
comment on table price_reports is 'The latest price of every token by every source; as many rows as there are pairs of them.';
comment on column price_reports.usd is 'USD per whole token; a quote in USDT is converted when it is stored.';
comment on column price_reports.observed_at is 'The time that the source gives, otherwise the time at which it was asked.';

create table price_history (
  token text not null,
  usd numeric(30, 12) not null check (usd > 0 and usd < 'infinity'),
  decided_at timestamptz not null,
  primary key (token, decided_at)
);
comment on table price_history is 'Agreed medians of the last minutes, to see a price jump. Older rows are deleted.';
comment on column price_history.usd is 'The median, also while it had jumped or lost its peg: calm must last before it counts again.';
