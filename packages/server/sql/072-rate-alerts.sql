-- Owner: orders. Rates that people want to be told of, once.

create table rate_alert (
  id uuid primary key,
  user_id bigint not null references app_user (id),
  source_currency text not null references ledger.currency (code),
  target_currency text not null references ledger.currency (code),
  rate_side text not null check (rate_side in ('at_least', 'at_most')),
  rate text not null check (rate ~ '^\d{1,15}(\.\d{1,15})?$'),
  -- Whole target units for one whole source unit.
  trigger_numerator numeric(90, 0) not null check (trigger_numerator > 0),
  trigger_denominator numeric(90, 0) not null check (trigger_denominator > 0),
  -- What was told.
  told_at timestamptz,
  told_rate text,
  told_source text,
  told_as_of timestamptz,
  request_hash bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint rate_alert_two_currencies check (source_currency <> target_currency),
  constraint rate_alert_told check (
    (told_at is null) = (told_rate is null) and (told_at is null) = (told_source is null)
    and (told_at is null) = (told_as_of is null))
);
-- By the trigger rounded down to 30 decimals, in order to find alerts; the fraction decides.
create index rate_alert_triggered on rate_alert
  (source_currency, target_currency, rate_side, div(trigger_numerator * 1000000000000000000000000000000, trigger_denominator))
  where told_at is null;
create index rate_alert_person on rate_alert (user_id, created_at);
create index rate_alert_old on rate_alert (told_at) where told_at is not null;
