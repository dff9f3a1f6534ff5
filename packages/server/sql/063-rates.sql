-- Owner: exchange. Rates as their sources published them, and how far they are relied on.

-- One fix: what one unit of `base` was worth in units of `quote`, exactly. Never changed but for its state.
create table rate_fix (
  id uuid primary key,
  source text not null check (source ~ '^[a-z][a-z0-9_-]{0,39}$'),
  base text not null references ledger.currency (code),
  quote text not null references ledger.currency (code),
  as_of timestamptz not null,
  numerator numeric(90, 0) not null check (numerator > 0),
  denominator numeric(90, 0) not null check (denominator > 0),
  received_at timestamptz not null,
  -- Held back: it differs too much from the one before, and waits for an operator.
  state text not null check (state in ('accepted', 'held_back', 'rejected')),
  -- An operator's name, or 'later_fix' where the source itself returned to the earlier level.
  decided_by text,
  decided_at timestamptz,
  constraint rate_fix_two_currencies check (base <> quote),
  constraint rate_fix_decided check ((decided_by is null) = (decided_at is null)),
  constraint rate_fix_once unique (source, base, quote, as_of, numerator, denominator)
);
create index rate_fix_held_back on rate_fix (source, base, quote) where state = 'held_back';

-- The accepted fix of each pair that prices are made of, and until when its source went on saying so.
create table rate_latest (
  source text not null,
  base text not null,
  quote text not null,
  fix_id uuid not null references rate_fix (id),
  confirmed_at timestamptz not null,
  primary key (source, base, quote)
);

-- For how long a rate can be used after its source confirmed it, by the kind of the currency that it is about.
create table rate_policy (
  kind text primary key check (kind in ('fiat', 'stablecoin', 'crypto')),
  max_age_seconds integer not null check (max_age_seconds > 0),
  -- Weekends and the closing days of TARGET do not count: the last fix holds until the next.
  skips_closing_days boolean not null,
  -- A fix that differs by more from the one before is held back.
  max_jump_parts_per_million integer not null check (max_jump_parts_per_million > 0)
);
insert into rate_policy (kind, max_age_seconds, skips_closing_days, max_jump_parts_per_million) values
  ('fiat', 93600, true, 100000),
  ('stablecoin', 600, false, 50000),
  ('crypto', 600, false, 300000);

-- What is taken from the mid-market rate of a pair; nothing where there is no row.
create table spread (
  source_currency text not null references ledger.currency (code),
  target_currency text not null references ledger.currency (code),
  parts_per_million integer not null check (parts_per_million between 0 and 10000),
  primary key (source_currency, target_currency),
  constraint spread_two_currencies check (source_currency <> target_currency)
);
