-- Owner: wallets. Restrictions travel with the money: move_money carries lots from account to account.

-- Restricted part of an amount in transit between accounts.
create type restricted_part as (reason text, origin uuid, matures_at timestamptz, minor numeric);

-- Takes restricted money out of an account's lots, which are in force, and returns the parts: `preferred` lots (of the origin, or
-- of the hold) up to the amount, others only as far as they do not fit into what stays. The soonest to mature leave first.
create function take_restricted(
  account bigint, amount numeric, excess numeric, of_origin uuid, of_hold uuid, at timestamptz
) returns restricted_part[] language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  parts restricted_part[];
begin
  with lot as (
    select r.id, r.reason, r.origin, r.matures_at, r.minor,
        coalesce(r.origin = of_origin, false) or coalesce(r.hold_reference = of_hold, false) as is_preferred
      from restricted_money r where r.account_id = account and is_restricted(r, at)
  ), queue as (
    select lot.*, sum(lot.minor) over (order by is_preferred desc, matures_at, id) - lot.minor as before,
        least(amount, greatest(excess, (select coalesce(sum(minor), 0) from lot where is_preferred))) as wanted
      from lot
  ), taken as (
    select queue.*, least(minor, wanted - before) as part from queue where before < wanted
  ), emptied as (
    delete from restricted_money r using taken where r.id = taken.id and taken.part = taken.minor
  ), reduced as (
    update restricted_money r set minor = r.minor - taken.part from taken where r.id = taken.id and taken.part < taken.minor
  )
  select array_agg(row(reason, origin, matures_at, part)::restricted_part order by before) into parts from taken;
  return coalesce(parts, '{}');
end
$$;

-- Returns the parts as `numerator`/`denominator` of them in another currency; their sum is rounded up.
create function convert_restricted(parts restricted_part[], numerator numeric, denominator numeric)
returns restricted_part[] language sql immutable set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(array_agg(row(reason, origin, matures_at, minor)::restricted_part order by place), '{}') from (
    select p.reason, p.origin, p.matures_at, p.place,
        ceil(sum(p.minor) over (order by p.place) * numerator / denominator)
          - ceil((sum(p.minor) over (order by p.place) - p.minor) * numerator / denominator) as minor
      from unnest(parts) with ordinality as p (reason, origin, matures_at, minor, place)
  ) as converted where minor > 0
$$;

-- Adds parts to the lots of a wallet's or hold's account.
create function put_restricted(account bigint, hold uuid, parts restricted_part[], at timestamptz) returns void
language sql set search_path = pg_catalog, public, pg_temp as $$
  insert into restricted_money as lot (account_id, hold_reference, user_id, currency, minor, reason, origin, matures_at, created_at)
    select a.id, put_restricted.hold, w.user_id, a.currency, sum(p.minor), p.reason, p.origin, p.matures_at, put_restricted.at
      from ledger.account a
      join wallet w on w.id = split_part(a.name, ':', 2)::uuid
     cross join unnest(parts) as p
     where a.id = put_restricted.account
     group by a.id, w.user_id, a.currency, p.reason, p.origin, p.matures_at
  on conflict (account_id, hold_reference, reason, origin, matures_at) do update set minor = lot.minor + excluded.minor
$$;

-- Returns the payment or dispute that a posted movement belongs to; null where it is neither.
create function origin_of_movement(id uuid, reference uuid, row_payment uuid) returns uuid language sql stable
set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(
    (select p.id from payment p where p.id = row_payment),
    (select d.dispute_id from dispute_posting d where d.posting_id = origin_of_movement.id limit 1),
    (select p.id from payment p where p.transaction_id = origin_of_movement.reference limit 1))
$$;

-- Raises TC002 where provisional credit would leave for a payee whom its holder had not paid before its dispute was opened. The
-- disputed transaction itself does not count.
create function require_known_payee(sender bigint, recipient bigint, parts restricted_part[]) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (
    select from unnest(parts) as p join dispute d on d.id = p.origin
     where p.reason = 'provisional_credit' and not exists (
       select from transaction t
        where t.user_id = sender and t.recipient_id = recipient and t.kind = 'SEND' and t.status = 'COMPLETED'
          and t.id <> d.transaction_id and coalesce(t.changed_at, t.created_at) < d.opened_at)
  ) then
    raise exception 'provisional credit would leave for a new payee' using errcode = 'TC002';
  end if;
end
$$;

-- Processes the legs of a posted batch. Its accounts are locked, so no other transaction changes their lots.
create function carry_restricted_money(batch ledger.batch, rows transaction_rows, statuses text[]) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  accounts constant bigint[] := batch.accounts;
  leg_movement constant int[] := batch.leg_movement;
  leg_from constant int[] := batch.leg_from;
  leg_to constant int[] := batch.leg_to;
  leg_amount constant numeric[] := batch.leg_amount;
  movement_at constant timestamptz[] := batch.movement_at;
  legs constant int := cardinality(leg_movement);
  -- One element per account. What is restricted of it is a sum of lots.
  kind text[];
  balance numeric[];
  restricted numeric[];
  -- State of the current movement.
  movement int := 0;
  row_place int;
  origin uuid;
  is_origin_known boolean;
  is_inflow boolean;
  converted_from numeric;
  bridged restricted_part[];
  -- State of the current leg.
  giver int;
  taker int;
  amount numeric;
  at timestamptz;
  matures_at timestamptz;
  parts restricted_part[];
begin
  at := (select min(m.at) from unnest(movement_at) as m (at));
  select array_agg(a.kind order by p.place), array_agg(a.balance order by p.place), array_agg(l.minor order by p.place)
    into kind, balance, restricted
    from generate_series(1, cardinality(accounts)) as p (place)
    left join lateral (select a.kind, a.balance from ledger.account a where a.id = accounts[p.place]) as a on true
    left join lateral (
      select coalesce(sum(r.minor), 0) as minor from restricted_money r where r.account_id = accounts[p.place] and is_restricted(r, at)
    ) as l on true;
  -- Balances as they were before.
  for leg in 1 .. legs loop
    if statuses[leg_movement[leg]] = 'posted' then
      balance[leg_from[leg]] := balance[leg_from[leg]] + leg_amount[leg];
      balance[leg_to[leg]] := balance[leg_to[leg]] - leg_amount[leg];
    end if;
  end loop;

  for leg in 1 .. legs loop
    continue when statuses[leg_movement[leg]] <> 'posted';
    giver := leg_from[leg];
    taker := leg_to[leg];
    amount := leg_amount[leg];
    balance[giver] := balance[giver] - amount;
    balance[taker] := balance[taker] + amount;
    if leg_movement[leg] <> movement then
      movement := leg_movement[leg];
      bridged := '{}';
      row_place := coalesce(array_position(rows.movement, movement), 0);
      is_inflow := false;
      is_origin_known := false;
    end if;
    if not is_origin_known and (restricted[giver] > 0 or kind[giver] in ('card_settlement', 'bank_settlement', 'loss', 'fee')) then
      origin := origin_of_movement(batch.movement_id[movement], batch.movement_reference[movement], rows.payment_id[row_place]);
      is_origin_known := true;
    end if;

    -- Restricted parts of the amount.
    parts := '{}';
    if kind[giver] in ('wallet', 'hold') then
      if restricted[giver] > 0 then
        parts := take_restricted(accounts[giver], amount, restricted[giver] - balance[giver], origin,
          case kind[giver] when 'hold' then batch.movement_reference[movement] end, at);
        restricted[giver] := restricted[giver] - (select coalesce(sum(p.minor), 0) from unnest(parts) as p);
      end if;
    elsif kind[giver] in ('card_settlement', 'bank_settlement') and kind[taker] in ('wallet', 'bridge', 'bridge_stablecoin') then
      is_inflow := true;
      matures_at := maturity_of(origin, movement_at[movement]);
      if matures_at > movement_at[movement] then
        parts := array[row(case kind[giver] when 'card_settlement' then 'card' else 'bank_debit' end,
          origin, matures_at, amount)::restricted_part];
      end if;
    elsif batch.movement_kind[movement] = 'dispute_credit' and kind[taker] = 'wallet' then
      parts := array[row('provisional_credit', origin, 'infinity', amount)::restricted_part];
    elsif kind[giver] in ('bridge', 'bridge_stablecoin') and kind[taker] in ('wallet', 'hold') and cardinality(bridged) > 0 then
      converted_from := (
        select sum(leg_amount[l]) from generate_series(1, legs) as l
         where leg_movement[l] = movement and kind[leg_from[l]] in ('wallet', 'hold', 'card_settlement', 'bank_settlement')
           and kind[leg_to[l]] in ('bridge', 'bridge_stablecoin'));
      parts := convert_restricted(bridged, amount, converted_from);
    end if;
    continue when cardinality(parts) = 0;

    if kind[giver] = 'wallet' and kind[taker] <> 'fee' and rows.kind[row_place] = 'SEND' and not is_inflow then
      perform require_known_payee(rows.sender_id[row_place], rows.recipient_id[row_place], parts);
    end if;
    if kind[taker] in ('wallet', 'hold') then
      perform put_restricted(accounts[taker], case kind[taker] when 'hold' then batch.movement_reference[movement] end, parts, movement_at[movement]);
      restricted[taker] := restricted[taker] + (select sum(p.minor) from unnest(parts) as p);
    elsif kind[taker] in ('bridge', 'bridge_stablecoin') then
      bridged := bridged || parts;
    end if;
  end loop;
end
$$;
