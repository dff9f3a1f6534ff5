-- Exchange: quotes, rates and spreads, fees, and liquidity: how far quotes may move the positions of the exchange desk.

create table quote (
  id uuid primary key,
  user_id bigint not null,
  recipient_id bigint,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- The whole price as shown, and a keyed hash that proves it unchanged.
  locked_price jsonb not null,
  signature bytea not null,
  -- The quote that replaced this one, which is void since.
  replaced_by uuid
);
create index quote_expires_at on quote (expires_at);
create index quote_replaced on quote (expires_at) where replaced_by is not null;

-- Rates.

-- One unit of `base` in units of `quote`, an exact fraction, as a source published it. Only the state ever changes.
create table rate_fix (
  id uuid primary key,
  source text not null check (source ~ '^[a-z][a-z0-9_-]{0,39}$'),
  base text not null references ledger.currency,
  quote text not null references ledger.currency,
  as_of timestamptz not null,
  numerator numeric(90, 0) not null check (numerator > 0),
  denominator numeric(90, 0) not null check (denominator > 0),
  received_at timestamptz not null,
  -- Held back: differs too much from the fix in use, and waits for an operator.
  state text not null check (state in ('accepted', 'held_back', 'rejected')),
  -- Name of an operator, or 'later_fix' if the source then published an acceptable fix.
  decided_by text,
  decided_at timestamptz,
  constraint rate_fix_decided check ((decided_by is null) = (decided_at is null)),
  constraint rate_fix_once unique (source, base, quote, as_of, numerator, denominator),
  constraint rate_fix_two_currencies check (base <> quote)
);
create index rate_fix_held_back on rate_fix (source, base, quote) where state = 'held_back';

-- The accepted fix in use for each pair, and when its source last confirmed it.
create table rate_latest (
  source text not null,
  base text not null,
  quote text not null,
  fix_id uuid not null references rate_fix,
  confirmed_at timestamptz not null,
  primary key (source, base, quote)
);

create table rate_policy (
  -- Kind of currency.
  kind text primary key check (kind in ('fiat', 'stablecoin', 'crypto')),
  -- A rate is usable for this long after its source confirmed it.
  max_age_seconds integer not null check (max_age_seconds > 0),
  -- Weekends and closing days of TARGET do not count towards the age.
  skips_closing_days boolean not null,
  -- A fix that differs by more from the one in use is held back.
  max_jump_parts_per_million integer not null check (max_jump_parts_per_million > 0)
);
insert into rate_policy (kind, max_age_seconds, skips_closing_days, max_jump_parts_per_million) values
  ('fiat', 93600, true, 100000),
  ('stablecoin', 600, false, 50000),
  ('crypto', 600, false, 300000);

-- Part of a pair's mid-market rate that the product keeps; none without a row.
create table spread (
  source_currency text not null references ledger.currency,
  target_currency text not null references ledger.currency,
  parts_per_million integer not null check (parts_per_million between 0 and 10000),
  primary key (source_currency, target_currency),
  constraint spread_two_currencies check (source_currency <> target_currency)
);

-- One row. The first movements of a day (UTC) whose fee rounds to zero are free; further ones cost the smallest fee, in
-- minor units of their source currency.
create table fee_policy (
  only_one boolean primary key default true check (only_one),
  free_movements_per_day integer not null check (free_movements_per_day >= 0),
  smallest_fee_minor integer not null check (smallest_fee_minor >= 0)
);
insert into fee_policy (only_one, free_movements_per_day, smallest_fee_minor) values
  (true, 5, 1);

-- Liquidity.

-- Limits of the position in a currency that an operator has set, in its minor units; null: the default.
create table liquidity_limit (
  currency text primary key references ledger.currency,
  long_minor numeric(38, 0) check (long_minor >= 0),
  short_minor numeric(38, 0) check (short_minor >= 0),
  -- A larger position, long or short, is flattened.
  flatten_above_minor numeric(38, 0) check (flatten_above_minor >= 0),
  changed_by text not null,
  changed_at timestamptz not null
);
call seal_table('liquidity_limit', '{currency}', '{long_minor, short_minor, flatten_above_minor, changed_by,
  changed_at}');

-- Default limits of every currency, and limits of the value locked in open quotes, in US dollar cents.
create table liquidity_default (
  name text primary key check (name in ('long', 'short', 'flatten_above', 'locked_by_person', 'locked_in_all')),
  usd_minor numeric(38, 0) not null check (usd_minor >= 0)
);
insert into liquidity_default (name, usd_minor) values
  ('long', 200000000),
  ('short', 200000000),
  ('flatten_above', 10000000),
  ('locked_by_person', 5000000),
  ('locked_in_all', 500000000);

-- Amounts that a quote, or an order that flattens a position, may still add to positions: one row for each of its two
-- currencies. Counts until the quote can no longer move money (live_reservations).
create table liquidity_reservation (
  -- Id of the quote or order.
  id uuid not null,
  currency text not null,
  -- Positive in the source currency, negative in the target currency.
  minor numeric(38, 0) not null check (minor <> 0),
  -- Value locked, in US dollar cents; 0 in the row of the target currency.
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  -- User whose locked value it counts towards, if any.
  user_id bigint,
  until timestamptz not null,
  primary key (id, currency)
);
create index liquidity_reservation_user on liquidity_reservation (user_id) where user_id is not null;

-- Sums of all stored reservations in a currency, expired ones included: an upper bound.
create table liquidity_total (
  currency text primary key,
  incoming numeric(38, 0) not null check (incoming >= 0),
  outgoing numeric(38, 0) not null check (outgoing >= 0),
  usd_minor numeric(38, 0) not null check (usd_minor >= 0)
);

-- Changes of these sums that are not folded into them yet. Making or ending reservations only inserts rows, so such
-- transactions do not wait for each other.
create table liquidity_change (
  currency text not null,
  incoming numeric(38, 0) not null,
  outgoing numeric(38, 0) not null,
  usd_minor numeric(38, 0) not null
);

create function count_liquidity() returns trigger
language plpgsql as $$
declare
  sign constant numeric := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into liquidity_change (currency, incoming, outgoing, usd_minor)
    select currency, sign * sum(greatest(minor, 0)), sign * sum(greatest(-minor, 0)), sign * sum(usd_minor)
      from changed group by currency;
  return null;
end
$$;
create trigger count_liquidity_more after insert on liquidity_reservation referencing new table as changed
  for each statement execute function count_liquidity();
create trigger count_liquidity_less after delete on liquidity_reservation referencing old table as changed
  for each statement execute function count_liquidity();

-- Folds the changes into the totals. The caller holds the advisory lock 'liquidity'.
create function fold_liquidity() returns void
language plpgsql as $$
begin
  insert into liquidity_total (currency, incoming, outgoing, usd_minor)
    select distinct currency, 0, 0, 0 from liquidity_change on conflict (currency) do nothing;
  with folded as (
    delete from liquidity_change where currency in (select currency from liquidity_total) returning *
  )
  update liquidity_total t
     set incoming = t.incoming + f.incoming, outgoing = t.outgoing + f.outgoing, usd_minor = t.usd_minor + f.usd_minor
    from (select currency, sum(incoming) as incoming, sum(outgoing) as outgoing, sum(usd_minor) as usd_minor
            from folded group by currency) f
   where f.currency = t.currency;
end
$$;

-- Reservations that may still move money: of quotes that can be used, or that a payment or a held transfer keeps.
create function live_reservations(moment timestamptz) returns setof liquidity_reservation
language sql stable as $$
  select r.* from liquidity_reservation r left join ledger.token k on k.id = r.id
   where case
     when k.id is null then r.until > moment
     when k.posting_id is null then true
     else exists (select from transfer h where h.quote_id = r.id and h.state in ('awaiting_funding', 'held')) end
$$;

-- Position and reservations of every currency in minor units; `locked` in US dollar cents. Counts live reservations
-- only if `is_exact`, else all stored ones, which is faster and an upper bound.
create function liquidity_exposures(moment timestamptz, is_exact boolean)
  returns table (currency text, desk numeric, incoming numeric, outgoing numeric, locked numeric, long_minor numeric,
    short_minor numeric, flatten_above_minor numeric)
language sql stable as $$
  select c.code, coalesce(d.desk, 0), coalesce(r.incoming, 0), coalesce(r.outgoing, 0), coalesce(r.usd_minor, 0),
      l.long_minor, l.short_minor, l.flatten_above_minor
    from ledger.currency c
    left join (
      select a.currency, sum(a.balance) as desk from ledger.account a
       where a.kind in ('bridge', 'bridge_stablecoin', 'rounding') and a.floor is null group by a.currency
    ) d on d.currency = c.code
    left join (
      select s.currency, sum(s.incoming) as incoming, sum(s.outgoing) as outgoing, sum(s.usd_minor) as usd_minor
        from (
          select t.currency, t.incoming, t.outgoing, t.usd_minor from liquidity_total t where not is_exact
          union all
          select g.currency, g.incoming, g.outgoing, g.usd_minor from liquidity_change g where not is_exact
          union all
          select v.currency, greatest(v.minor, 0), greatest(-v.minor, 0), v.usd_minor
            from live_reservations(moment) v where is_exact
        ) s group by s.currency
    ) r on r.currency = c.code
    left join liquidity_limit l on l.currency = c.code
$$;

-- Voids a quote that another one replaces, unless it is used, kept, expired or another user's. Returns whether it did.
create function replace_quote(replaced uuid, replacing uuid, owner bigint, moment timestamptz) returns boolean
language plpgsql as $$
begin
  perform from quote where id = replaced and user_id = owner and expires_at > moment;
  -- Accepting the quote takes the same token.
  if not found or not ledger.reserve_token(replaced, replacing) then
    return false;
  end if;
  update quote set replaced_by = replacing where id = replaced;
  return true;
end
$$;

-- Stores quotes and reserves the amounts that each may add to positions. Returns for each:
--   promised         stored
--   too_large        larger than any price may be locked for
--   too_much_locked  the user has too much value locked
--   no_room          a position, or the value locked in all, could exceed its limit
-- Only promised quotes are stored. `promises` are objects with the columns of `quote` (without `locked_price`: only a
-- reservation), `replaces`, `counted_for` (the user whose locked value it counts towards), `source`, `source_minor`,
-- `target`, `target_minor`, `usd_minor` and `until`. `dollars` is the value of a US dollar cent in minor units of each
-- currency, as a fraction. The advisory lock is taken after everything that can wait for another transaction, and ends
-- with the statement.
create function promise_prices(promises jsonb, dollars jsonb, moment timestamptz) returns text[]
language plpgsql as $$
declare
  asked record;
  statuses text[];
  replaced uuid[];
  default_long numeric;
  default_short numeric;
  most_by_person numeric;
  most_in_all numeric;
  codes text[];
  rooms_in numeric[];
  rooms_out numeric[];
  locked numeric;
  persons bigint[];
  locked_by numeric[];
  person int;
  giver int;
  taker int;
  is_exact boolean := false;
begin
  for asked in
    select p.place, p.id, p.user_id, p.created_at, p.replaces
      from rows from (jsonb_to_recordset(promises)
        as (id uuid, user_id bigint, created_at timestamptz, replaces uuid)) with ordinality
        as p (id, user_id, created_at, replaces, place)
     where p.replaces is not null order by p.replaces
  loop
    if replace_quote(asked.replaces, asked.id, asked.user_id, asked.created_at) then
      replaced[asked.place] := asked.replaces;
    end if;
  end loop;
  -- Lock the reservations of replaced quotes; they are deleted below.
  if replaced is not null then
    perform from liquidity_reservation where id = any (replaced) order by id, currency for update;
  end if;

  perform pg_advisory_xact_lock(hashtextextended('liquidity', 0));
  select max(usd_minor) filter (where name = 'long'), max(usd_minor) filter (where name = 'short'),
      max(usd_minor) filter (where name = 'locked_by_person'), max(usd_minor) filter (where name = 'locked_in_all')
    into default_long, default_short, most_by_person, most_in_all from liquidity_default;
  -- Try with the upper bounds first, which is fast; if they refuse, decide by exact sums.
  loop
    select array_agg(e.currency),
        array_agg(coalesce(e.long_minor, div(default_long * w.numerator, w.denominator)) - e.desk - e.incoming
          + coalesce(o.incoming, 0)),
        array_agg(coalesce(e.short_minor, div(default_short * w.numerator, w.denominator)) + e.desk - e.outgoing
          + coalesce(o.outgoing, 0)),
        sum(e.locked - coalesce(o.usd_minor, 0))
      into codes, rooms_in, rooms_out, locked
      from liquidity_exposures(moment, is_exact) e
      left join jsonb_to_recordset(dollars) as w (currency text, numerator numeric, denominator numeric)
        on w.currency = e.currency
      -- Reservations of replaced quotes are available to the quotes that replace them.
      left join (
        select r.currency, sum(greatest(r.minor, 0)) as incoming, sum(greatest(-r.minor, 0)) as outgoing,
            sum(r.usd_minor) as usd_minor
          from liquidity_reservation r where r.id = any (replaced) group by r.currency
      ) o on o.currency = e.currency;
    statuses := array[]::text[];
    persons := array[]::bigint[];
    locked_by := array[]::numeric[];
    for asked in
      select p.* from rows from (jsonb_to_recordset(promises)
          as (source text, source_minor numeric, target text, target_minor numeric, usd_minor numeric, counted_for bigint))
          with ordinality as p (source, source_minor, target, target_minor, usd_minor, counted_for, place)
       order by p.place
    loop
      statuses[asked.place] := 'promised';
      continue when asked.source = asked.target;
      person := array_position(persons, asked.counted_for);
      if person is null and asked.counted_for is not null then
        person := cardinality(persons) + 1;
        persons[person] := asked.counted_for;
        locked_by[person] := case when is_exact
          then (select coalesce(sum(v.usd_minor), 0) from live_reservations(moment) v
                 where v.user_id = asked.counted_for and v.id <> all (coalesce(replaced, '{}')))
          else (select coalesce(sum(r.usd_minor), 0) from liquidity_reservation r
                 where r.user_id = asked.counted_for and r.id <> all (coalesce(replaced, '{}'))) end;
      end if;
      giver := array_position(codes, asked.source);
      taker := array_position(codes, asked.target);
      statuses[asked.place] := case
        when asked.usd_minor > most_in_all or (person is not null and asked.usd_minor > most_by_person) then 'too_large'
        when locked_by[person] + asked.usd_minor > most_by_person then 'too_much_locked'
        when asked.usd_minor > 0 and locked + asked.usd_minor > most_in_all then 'no_room'
        when asked.source_minor <= rooms_in[giver] and asked.target_minor <= rooms_out[taker] then 'promised'
        else 'no_room' end;
      continue when statuses[asked.place] <> 'promised';
      rooms_in[giver] := rooms_in[giver] - asked.source_minor;
      rooms_out[taker] := rooms_out[taker] - asked.target_minor;
      locked := locked + asked.usd_minor;
      if person is not null then
        locked_by[person] := locked_by[person] + asked.usd_minor;
      end if;
    end loop;
    exit when is_exact or statuses <@ '{promised,too_large}';
    is_exact := true;
  end loop;

  if replaced is not null then
    for place in 1 .. cardinality(statuses) loop
      continue when replaced[place] is null;
      if statuses[place] = 'promised' then
        delete from liquidity_reservation where id = replaced[place];
      else
        -- A refused quote replaces nothing.
        update quote set replaced_by = null where id = replaced[place];
        perform ledger.release_token(replaced[place], (promises -> (place - 1) ->> 'id')::uuid);
      end if;
    end loop;
  end if;
  insert into liquidity_reservation (id, currency, minor, usd_minor, user_id, until)
    select p.id, side.currency, side.minor, side.usd_minor, p.counted_for, p.until
      from rows from (jsonb_to_recordset(promises)
        as (id uuid, source text, source_minor numeric, target text, target_minor numeric, usd_minor numeric,
          counted_for bigint, until timestamptz)) with ordinality
        as p (id, source, source_minor, target, target_minor, usd_minor, counted_for, until, place)
      cross join lateral (values (p.source, p.source_minor, p.usd_minor), (p.target, -p.target_minor, 0))
        as side (currency, minor, usd_minor)
     where statuses[p.place] = 'promised' and p.source <> p.target;
  insert into quote (id, user_id, recipient_id, created_at, expires_at, locked_price, signature)
    select p.id, p.user_id, p.recipient_id, p.created_at, p.expires_at, p.locked_price, decode(p.signature, 'hex')
      from rows from (jsonb_to_recordset(promises)
        as (id uuid, user_id bigint, recipient_id bigint, created_at timestamptz, expires_at timestamptz,
          locked_price jsonb, signature text)) with ordinality
        as p (id, user_id, recipient_id, created_at, expires_at, locked_price, signature, place)
     where statuses[p.place] = 'promised' and p.locked_price is not null;
  if (select count(*) from liquidity_change) > 200 then
    perform fold_liquidity();
  end if;
  return statuses;
end
$$;
