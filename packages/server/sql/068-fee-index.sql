-- Owner: prices. What people paid for sends between two currencies in a month that is over.

create table fee_index_month (
  -- Its first day.
  month date not null check (extract(day from month) = 1),
  source_currency text not null references ledger.currency (code),
  target_currency text not null references ledger.currency (code),
  payments bigint not null check (payments > 0),
  payers bigint not null check (payers between 1 and payments),
  -- Costs in millionths of the amount sent: the sum over all payments, and what one, five and nine of ten cost at most.
  cost_sum numeric(38, 0) not null,
  median_cost bigint not null,
  low_cost bigint not null,
  high_cost bigint not null check (low_cost <= median_cost and median_cost <= high_cost),
  -- The part that is the fee.
  fee_sum numeric(38, 0) not null check (fee_sum >= 0),
  counted_at timestamptz not null,
  primary key (month, source_currency, target_currency),
  constraint fee_index_two_currencies check (source_currency <> target_currency)
);
