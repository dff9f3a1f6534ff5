-- Orders to venues that flatten the positions of the exchange desk. Amounts are minor units of their currency.
create table treasury_order (
  -- Also the venue's idempotency key.
  id uuid primary key,
  -- The venue.
  provider text not null,
  -- Currency of the position that the order flattens: the one sold or the one bought.
  currency text not null references ledger.currency,
  sell_currency text not null references ledger.currency,
  sell_minor numeric(38, 0) not null check (sell_minor > 0),
  buy_currency text not null references ledger.currency,
  -- Pending until the venue's outcome is certain.
  state text not null check (state in ('pending', 'filled', 'rejected')),
  -- The venue's id of the order.
  reference text,
  sold_minor numeric(38, 0) check (sold_minor > 0),
  bought_minor numeric(38, 0) check (bought_minor > 0),
  -- The venue's reason for rejecting it.
  reason text,
  -- Name of an operator, or 'threshold' if the worker found the position too large.
  ordered_by text not null,
  created_at timestamptz not null,
  polled_at timestamptz not null,
  filled_at timestamptz,
  updated_at timestamptz not null,
  constraint treasury_order_currencies check (sell_currency <> buy_currency
    and (currency = sell_currency or currency = buy_currency)),
  constraint treasury_order_filled check ((state = 'filled')
    = (sold_minor is not null and bought_minor is not null and filled_at is not null and reference is not null)),
  constraint treasury_order_rejected check ((state = 'rejected') = (reason is not null)),
  constraint treasury_order_sold check (sold_minor <= sell_minor)
);
-- One pending order per position.
create unique index treasury_order_pending on treasury_order (currency) where state = 'pending';
call seal_table('treasury_order', '{id}', '{provider, currency, sell_currency, sell_minor, buy_currency, state,
  reference, sold_minor, bought_minor, reason, ordered_by, created_at, filled_at}');
