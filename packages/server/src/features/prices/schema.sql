-- The public fee index: cost of sends between two fiat currencies in a month (UTC), counted again while payments may
-- still be reversed. Costs are millionths of the amount sent, by the reference rate.
create table fee_index_month (
  -- First day of the month.
  month date not null check (extract(day from month) = 1),
  source_currency text not null references ledger.currency,
  target_currency text not null references ledger.currency,
  payments bigint not null check (payments > 0),
  -- Distinct senders.
  payers bigint not null,
  cost_sum numeric(38, 0) not null,
  median_cost bigint not null,
  -- First and ninth decile.
  low_cost bigint not null,
  high_cost bigint not null,
  -- Part of cost_sum that is the fee.
  fee_sum numeric(38, 0) not null check (fee_sum >= 0),
  counted_at timestamptz not null,
  primary key (month, source_currency, target_currency),
  check (payers between 1 and payments),
  check (low_cost <= median_cost and median_cost <= high_cost),
  constraint fee_index_two_currencies check (source_currency <> target_currency)
);
