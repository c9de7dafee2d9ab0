-- expand
-- Invoices priced in a currency. Exchange rates are stored like prices of tokens.

alter table invoices add column currency text, add column currency_amount numeric, add column exchange_rate numeric,
  add column rate_evidence jsonb;
-- Not validated: the table may be large, and new columns are null.
alter table invoices add constraint invoices_currency_check check (
  num_nonnulls(currency, currency_amount, exchange_rate) in (0, 3) and currency ~ '^[A-Z]{3}$') not valid,
  add constraint invoices_currency_amount_check check (currency_amount > 0 and currency_amount < 'Infinity') not valid,
  add constraint invoices_exchange_rate_check check (exchange_rate > 0 and exchange_rate < 'Infinity') not valid;
comment on column invoices.currency is 'In which its creation priced it; null when no currency was supplied.';
comment on column invoices.currency_amount is 'The amount in this currency, as it was supplied. amount_usd was fixed from it at creation.';
comment on column invoices.exchange_rate is 'USD for one unit of the currency, at creation.';
comment on column invoices.rate_evidence is 'What each source of exchange rates had reported, and the reference rate; null for USD.';

alter table price_reports add column changed_at timestamptz;
comment on table price_reports is 'The latest price of every token, and rate of every currency, by every source; as many rows as there are pairs of them.';
comment on column price_reports.token is 'A token, or a currency other than USD.';
comment on column price_reports.changed_at is 'Since when the source has reported this value, unchanged; null in rows of earlier versions.';
comment on column price_history.token is 'A token, or a currency other than USD.';
