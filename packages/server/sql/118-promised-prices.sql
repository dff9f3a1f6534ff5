-- Owner: exchange. Prices are promised by one statement, which alone holds the lock of liquidity, and commits by itself.

-- Changes of the sums in `liquidity_total` that are not folded into it yet, by reservations that were made or ended. Rows are
-- only added, so that no transaction waits for another one that makes or ends a reservation.
create table liquidity_change (
  currency text not null,
  incoming numeric(38, 0) not null,
  outgoing numeric(38, 0) not null,
  usd_minor numeric(38, 0) not null
);

create or replace function count_liquidity() returns trigger language plpgsql as $$
declare
  sign constant numeric := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into liquidity_change (currency, incoming, outgoing, usd_minor)
    select currency, sign * sum(greatest(minor, 0)), sign * sum(greatest(-minor, 0)), sign * sum(usd_minor)
      from changed group by currency;
  return null;
end
$$;

-- The reservations that may still move money: those of quotes that can be used, or that a payment or a held transfer keeps.
create function live_reservations(moment timestamptz) returns setof liquidity_reservation language sql stable as $$
  select r.* from liquidity_reservation r left join ledger.token k on k.id = r.id
   where case
     when k.id is null then r.until > moment
     when k.posting_id is null then true
     else exists (select from transfer h where h.quote_id = r.id and h.state in ('awaiting_funding', 'held')) end
$$;

-- Position of every currency, in minor units; `locked` in US dollar cents. Sums of reservations are those of the live ones if
-- `is_exact`, else of all that are stored, which are at most too high.
create function liquidity_exposures(moment timestamptz, is_exact boolean)
returns table (currency text, desk numeric, incoming numeric, outgoing numeric, locked numeric, long_minor numeric,
  short_minor numeric, flatten_above_minor numeric) language sql stable as $$
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

-- Folds the changes into the sums. The caller holds the lock of liquidity.
create function fold_liquidity() returns void language plpgsql as $$
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

-- Voids a quote that another one replaces, unless it is used, kept, expired or another person's.
create function replace_quote(replaced uuid, replacing uuid, owner bigint, moment timestamptz)
returns boolean language plpgsql as $$
begin
  perform from quote where id = replaced and user_id = owner and expires_at > moment;
  -- Accepting it takes the same token.
  if not found or not ledger.reserve_token(replaced, replacing) then
    return false;
  end if;
  update quote set replaced_by = replacing where id = replaced;
  return true;
end
$$;

-- Promises prices: stores quotes, and reserves what each may add to the position in both its currencies. Returns for each
-- `promised`, `too_large` where the amount is beyond what any one price is kept for, `too_much_locked` where the person has too much
-- locked, or `no_room` where a position, or what is locked in all, could pass its limit; of these nothing is stored. `promises` are objects with the columns of `quote` (none without
-- `locked_price`), `replaces`, `counted_for` (whose locked value it counts as), both amounts, `usd_minor` and `until`.
-- `dollars` gives what a US dollar cent is worth in each currency's minor units, as a fraction. The lock is taken after
-- everything that can wait for another transaction, and ends with the statement.
create function promise_prices(promises jsonb, dollars jsonb, moment timestamptz) returns text[] language plpgsql as $$
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
  -- Reservations of these are locked here, and deleted below.
  if replaced is not null then
    perform from liquidity_reservation where id = any (replaced) order by id, currency for update;
  end if;

  perform pg_advisory_xact_lock(hashtextextended('liquidity', 0));
  select max(usd_minor) filter (where name = 'long'), max(usd_minor) filter (where name = 'short'),
      max(usd_minor) filter (where name = 'locked_by_person'), max(usd_minor) filter (where name = 'locked_in_all')
    into default_long, default_short, most_by_person, most_in_all from liquidity_default;
  -- The sums of all that is stored are read first, which is fast and at most too careful.
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
      -- Reservations of replaced quotes are room for those that replace them.
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
