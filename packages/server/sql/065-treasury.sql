-- Owner: treasury. What the desk orders from venues to flatten its positions.

create table treasury_order (
  -- The provider's key too.
  id uuid primary key,
  provider text not null,
  -- Whose position it flattens: what is sold or what is bought.
  currency text not null references ledger.currency (code),
  sell_currency text not null references ledger.currency (code),
  sell_minor numeric(38, 0) not null check (sell_minor > 0),
  buy_currency text not null references ledger.currency (code),
  -- Pending until the provider says for certain what became of it.
  state text not null check (state in ('pending', 'filled', 'rejected')),
  -- The provider's name of it.
  reference text,
  sold_minor numeric(38, 0) check (sold_minor > 0),
  bought_minor numeric(38, 0) check (bought_minor > 0),
  reason text,
  -- An operator's name, or 'threshold' where the worker found the position too large.
  ordered_by text not null,
  created_at timestamptz not null,
  polled_at timestamptz not null,
  filled_at timestamptz,
  updated_at timestamptz not null,
  constraint treasury_order_currencies check (sell_currency <> buy_currency and currency in (sell_currency, buy_currency)),
  constraint treasury_order_filled check (
    (state = 'filled') = (sold_minor is not null and bought_minor is not null and filled_at is not null
      and reference is not null)),
  constraint treasury_order_sold check (sold_minor <= sell_minor),
  constraint treasury_order_rejected check ((state = 'rejected') = (reason is not null))
);
-- A position is flattened by one order at a time.
create unique index treasury_order_pending on treasury_order (currency) where state = 'pending';
create index treasury_order_latest on treasury_order (currency, updated_at);
