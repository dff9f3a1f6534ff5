-- Owner: limits and wallets. move_money enforces every limit of limit_policy and own_limit. The plain case costs nothing more
-- than counting: a day of usage knows how much of it no limit can refuse. Only beyond that are the limits looked at.

-- How much each pair of person and day counts: movements and largest amount beside the sum. And which movements count by
-- another method than sending.
alter type limit_quotas
  add attribute movements int[],
  add attribute largest numeric[],
  add attribute method_movement int[],
  add attribute method text[];

-- Works out how much of these days no limit can refuse, and gives those on which all that is counted fits. It is never more
-- than the limits allow: the sum of all methods is held against the limit of each. Every day is the caller's, locked. A day
-- that is not somebody's latest has none, and so has one whose owner is being changed: their limits are looked at each time.
create function renew_free_room(persons bigint[], days date[], largest numeric[], places int[], at timestamptz) returns int[]
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  known int[];
  free int[];
begin
  -- In a statement of its own: what follows sees all that whoever changes a person or their limits has done before.
  select array_agg(place) into known from unnest(places) as place
    cross join lateral (select from app_user where id = persons[place] for share skip locked) as locked;
  with renewed as (
    update limit_usage as usage
       set free_usd_minor = room.usd_minor, free_movements = room.movements, free_payment_usd_minor = room.payment,
           free_version = (select version from limit_policy_version)
      from unnest(known) as place
      cross join lateral (
        select coalesce(sum(e.usd_minor), 0) as usd_minor, coalesce(sum(e.movements), 0) as movements
          from limit_usage e where e.user_id = persons[place] and e.day between days[place] - 29 and days[place] - 1
      ) as earlier
      cross join lateral (
        select least(99999999999999999999999999999999999999,
              min(l.max_usd_minor - case l.period when '30_days' then earlier.usd_minor else 0 end)
              filter (where l.period <> 'payment')) as usd_minor,
            least(2147483647, min(l.max_movements - case l.period when '30_days' then earlier.movements else 0 end)) as movements,
            least(99999999999999999999999999999999999999, min(l.max_usd_minor) filter (where l.period = 'payment')) as payment
          from (
            select p.period, p.max_usd_minor, p.max_movements from limit_policy p
             where p.direction = 'out'
               and p.verification_state = (select kyc_status from app_user where id = persons[place])
               and (p.country is null or p.country = (select k.country from kyc_submission k
                 where k.user_id = persons[place] and k.status = 'verified' order by k.submitted_at desc limit 1))
            union all
            select o.period, case when o.next_at <= at then o.next_max_usd_minor else o.max_usd_minor end, null
              from own_limit o where o.user_id = persons[place] and o.direction = 'out'
          ) as l
      ) as room
     where usage.user_id = persons[place] and usage.day = days[place]
       and not exists (select from limit_usage l
         where l.user_id = persons[place] and l.day between days[place] + 1 and days[place] + 29)
    returning place, usage.usd_minor <= usage.free_usd_minor and usage.movements <= usage.free_movements
      and largest[place] <= usage.free_payment_usd_minor as fits
  )
  select coalesce(array_agg(place) filter (where fits), '{}') into free from renewed;
  return free;
end
$$;

-- Makes a day of usage for somebody who has none yet, and gives whether it did; the days before have no free room any more.
-- Days of one person are made one after another, so that each sees those before and after it. Without `waits` nothing is
-- made while somebody else holds the person or one of those days.
create function open_limit_usage(person bigint, on_day date, waits boolean) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  made bigint;
  locked bigint;
begin
  if waits then
    perform from app_user where id = person for no key update;
  elsif not exists (select from app_user where id = person for no key update skip locked) then
    -- Who is nobody's user moves nothing: their day may be made.
    if exists (select from app_user where id = person) then
      return false;
    end if;
  end if;
  -- All days that a window of this one reaches: what is counted on them meanwhile would be in no sum.
  if waits then
    perform from limit_usage where user_id = person and day between on_day - 29 and on_day - 1 order by day for no key update;
  else
    select count(*) into locked from (
      select from limit_usage where user_id = person and day between on_day - 29 and on_day - 1 for no key update skip locked
    ) as l;
    if locked < (select count(*) from limit_usage where user_id = person and day between on_day - 29 and on_day - 1) then
      return false;
    end if;
  end if;
  update limit_usage set free_usd_minor = null
   where user_id = person and day between on_day - 29 and on_day - 1 and free_usd_minor is not null;
  insert into limit_usage (user_id, day, usd_minor) values (person, on_day, 0) on conflict do nothing;
  get diagnostics made = row_count;
  return made = 1;
end
$$;

-- As before, with the limits.
create or replace function move_money(
  batch ledger.batch, rows transaction_rows, quotas limit_quotas, settlements transaction_settlements,
  waits boolean default true, out statuses text[], out settled_users bigint[]
)
language plpgsql
security definer
set search_path = pg_catalog, public, pg_temp
-- As in ledger.post: a plan made while the tables were small must still be right when they are large.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  movement_id constant uuid[] := batch.movement_id;
  movement_reference constant uuid[] := batch.movement_reference;
  movement_at constant timestamptz[] := batch.movement_at;
  movement_quota constant int[] := batch.movement_quota;
  movement_quota_amount constant numeric[] := batch.movement_quota_amount;
  -- Element access is fast in variables, slow in fields of a composite.
  row_movement constant int[] := rows.movement;
  row_user_id constant bigint[] := rows.user_id;
  row_kind constant text[] := rows.kind;
  row_status constant text[] := rows.status;
  row_sender_id constant bigint[] := rows.sender_id;
  row_recipient_id constant bigint[] := rows.recipient_id;
  row_wallet_id constant uuid[] := rows.wallet_id;
  row_from_wallet_id constant uuid[] := rows.from_wallet_id;
  row_to_wallet_id constant uuid[] := rows.to_wallet_id;
  row_description constant text[] := rows.description;
  row_source_amount constant numeric[] := rows.source_amount;
  row_source_currency constant text[] := rows.source_currency;
  row_target_amount constant numeric[] := rows.target_amount;
  row_target_currency constant text[] := rows.target_currency;
  row_stablecoin_amount constant numeric[] := rows.stablecoin_amount;
  row_rate_numerator constant numeric[] := rows.rate_numerator;
  row_rate_denominator constant numeric[] := rows.rate_denominator;
  row_fee_amount constant numeric[] := rows.fee_amount;
  row_fee_currency constant text[] := rows.fee_currency;
  row_payment_source constant text[] := rows.payment_source;
  row_payment_id constant uuid[] := rows.payment_id;
  row_quote_id constant uuid[] := rows.quote_id;
  quota_user constant bigint[] := quotas.user_id;
  quota_day constant date[] := quotas.day;
  quota_usd constant numeric[] := quotas.usd_minor;
  quota_movements constant int[] := quotas.movements;
  quota_largest constant numeric[] := quotas.largest;
  method_movement constant int[] := quotas.method_movement;
  method_name constant text[] := quotas.method;
  settled_movement constant int[] := settlements.movement;
  settled_id constant uuid[] := settlements.id;
  settled_status constant text[] := settlements.status;
  has_quotas constant boolean := cardinality(quota_user) > 0;
  quota_used numeric[] := '{}';
  counted_places int[];
  -- Days on which a limit may refuse something.
  guarded int[] := '{}';
  missing int[];
  made bigint;
  members int[];
  methods text[] := '{}';
  decisions text[];
  decided_quota int[];
  decided_limit numeric[];
begin
  -- Usage first and in order, then (in ledger.post) the accounts in order, then tokens: whoever moves money locks in this
  -- sequence, so no two wait for each other in a circle. The whole batch is counted at once; what is not posted is taken back below.
  if has_quotas then
    quota_used := array_fill(null::numeric, array[cardinality(quota_user)]);
    for attempt in 1 .. 2 loop
      if waits then
        with counted as (
          update limit_usage as usage
             set usd_minor = usage.usd_minor + quota_usd[q.place], movements = usage.movements + quota_movements[q.place]
            from (select place from generate_series(1, cardinality(quota_user)) as place where quota_used[place] is null
                   order by quota_user[place], quota_day[place]) as q
           where usage.user_id = quota_user[q.place] and usage.day = quota_day[q.place]
          returning q.place, usage.free_version = (select version from limit_policy_version)
            and usage.usd_minor <= usage.free_usd_minor and usage.movements <= usage.free_movements
            and quota_largest[q.place] <= usage.free_payment_usd_minor as is_free
        )
        select array_agg(counted.place), guarded || array_agg(counted.place) filter (where counted.is_free is not true)
          into counted_places, guarded from counted;
      else
        with free as materialized (
          select q.place from generate_series(1, cardinality(quota_user)) as q(place)
           cross join lateral (
             select usage.day from limit_usage as usage
              where usage.user_id = quota_user[q.place] and usage.day = quota_day[q.place] for no key update skip locked
           ) as locked
           where quota_used[q.place] is null
        ), counted as (
          update limit_usage as usage
             set usd_minor = usage.usd_minor + quota_usd[free.place], movements = usage.movements + quota_movements[free.place]
            from free
           where usage.user_id = quota_user[free.place] and usage.day = quota_day[free.place]
          returning free.place, usage.free_version = (select version from limit_policy_version)
            and usage.usd_minor <= usage.free_usd_minor and usage.movements <= usage.free_movements
            and quota_largest[free.place] <= usage.free_payment_usd_minor as is_free
        )
        select array_agg(counted.place), guarded || array_agg(counted.place) filter (where counted.is_free is not true)
          into counted_places, guarded from counted;
      end if;
      -- Not by a join: the functions of this schema know only nested loops, and this would compare each with each.
      for n in 1 .. coalesce(cardinality(counted_places), 0) loop
        quota_used[counted_places[n]] := 0;
      end loop;
      missing := array_positions(quota_used, null);
      exit when attempt = 2 or cardinality(missing) = 0;
      select count(*) filter (where open_limit_usage(quota_user[q.place], quota_day[q.place], waits and cardinality(quota_user) = 1))
        into made
        from (select place from unnest(missing) as place order by quota_user[place], quota_day[place]) as q
       where (select day from limit_usage where user_id = quota_user[q.place] and day = quota_day[q.place]) is null;
      -- A day that somebody else made meanwhile may be locked by whoever waits for one that is counted here already.
      if waits and made <> cardinality(missing) and cardinality(quota_user) > 1 then
        raise exception 'a day of usage was changed by somebody else' using errcode = 'serialization_failure';
      end if;
      exit when made = 0 and not waits;
    end loop;
    if waits and array_position(quota_used, null) is not null then
      raise exception 'a day of usage was changed by somebody else' using errcode = 'serialization_failure';
    end if;
  end if;

  -- Where a limit may refuse something, it is decided here, movement by movement: what is refused has a limit below
  -- everything, and what depends on those before it is busy, to be asked again when their outcome is known.
  if cardinality(guarded) > 0 then
    counted_places := renew_free_room(quota_user, quota_day, quota_largest, guarded,
      (select min(t.at) from unnest(movement_at) as t (at)));
    guarded := array(select place from unnest(guarded) as place where place <> all (counted_places));
  end if;
  if cardinality(guarded) > 0 then
    methods := array_fill('transfer'::text, array[cardinality(movement_id)]);
    for n in 1 .. cardinality(method_movement) loop
      methods[method_movement[n]] := method_name[n];
    end loop;
    decided_quota := movement_quota;
    decided_limit := batch.movement_quota_limit;
    quota_used := array_append(quota_used, null);
    for s in 1 .. cardinality(guarded) loop
      members := array_positions(movement_quota, guarded[s]);
      decisions := decide_limits(quota_user[guarded[s]], quota_day[guarded[s]], movement_at[members[1]],
        array(select methods[m.place] from unnest(members) with ordinality as m (place, n) order by m.n),
        array(select movement_quota_amount[m.place] from unnest(members) with ordinality as m (place, n) order by m.n),
        quota_usd[guarded[s]], quota_movements[guarded[s]]);
      for n in 1 .. cardinality(members) loop
        if decisions[n] = 'limit_exceeded' then
          decided_limit[members[n]] := -1;
        elsif decisions[n] = 'busy' then
          decided_quota[members[n]] := cardinality(quota_user) + 1;
        end if;
      end loop;
    end loop;
    batch.movement_quota := decided_quota;
    batch.movement_quota_limit := decided_limit;
  end if;

  statuses := ledger.post(batch, quota_used, waits);

  if has_quotas and not ('posted' = all (statuses)) then
    update limit_usage as usage
       set usd_minor = usage.usd_minor - unused.usd_minor, movements = usage.movements - unused.movements
      from (select movement_quota[m] as quota, sum(movement_quota_amount[m]) as usd_minor, count(*) as movements
              from generate_series(1, cardinality(movement_id)) as m
             where movement_quota[m] is not null and statuses[m] <> 'posted' group by movement_quota[m]) as unused
     where usage.user_id = quota_user[unused.quota] and usage.day = quota_day[unused.quota]
       and quota_used[unused.quota] is not null;
  end if;

  if cardinality(method_movement) > 0 then
    insert into limit_usage_by_method as usage (user_id, day, method, usd_minor, movements)
      select quota_user[movement_quota[m.movement]], quota_day[movement_quota[m.movement]], m.method,
          sum(movement_quota_amount[m.movement]), count(*)
        from unnest(method_movement, method_name) as m (movement, method)
       where statuses[m.movement] = 'posted' group by 1, 2, 3 order by 1, 2, 3
      on conflict (user_id, day, method) do update
        set usd_minor = usage.usd_minor + excluded.usd_minor, movements = usage.movements + excluded.movements;
  end if;

  insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id, from_wallet_id,
      to_wallet_id, description, source_amount, source_currency, target_amount, target_currency,
      stablecoin_amount, rate_numerator, rate_denominator, fee_amount, fee_currency, payment_source,
      payment_id, quote_id)
    select row_user_id[r], movement_reference[row_movement[r]], movement_id[row_movement[r]], row_kind[r], row_status[r],
      movement_at[row_movement[r]], row_sender_id[r], row_recipient_id[r], row_wallet_id[r],
      row_from_wallet_id[r], row_to_wallet_id[r], row_description[r], row_source_amount[r],
      row_source_currency[r], row_target_amount[r], row_target_currency[r], row_stablecoin_amount[r],
      row_rate_numerator[r], row_rate_denominator[r], row_fee_amount[r], row_fee_currency[r],
      row_payment_source[r], row_payment_id[r], row_quote_id[r]
      from generate_series(1, cardinality(row_movement)) as r
     where statuses[row_movement[r]] = 'posted';

  if cardinality(settled_id) > 0 then
    with settled as (
      update transaction as t set status = settled_status[s], xid = pg_current_xact_id()
        from generate_series(1, cardinality(settled_id)) as s
       where t.id = settled_id[s] and t.status = 'PENDING' and statuses[settled_movement[s]] = 'posted'
      returning t.user_id
    )
    select array_agg(distinct settled.user_id) into settled_users from settled;
  end if;
end
$$;

-- Counts what somebody moves on a day without a movement of the ledger, as a payment by card or bank does when it is begun:
-- all of it, or nothing where a limit refuses it. Gives whether it was counted. Without `enforced` it is counted in any case,
-- as money is that has come already. To be called before anything moves in the same transaction.
create function count_limit_usage(
  person bigint, on_day date, at timestamptz, methods text[], amounts numeric[], enforced boolean
) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if (0 <= all (amounts)) is not true then
    raise exception 'what is counted is not less than nothing' using errcode = 'check_violation';
  end if;
  perform open_limit_usage(person, on_day, true)
    where not exists (select from limit_usage where user_id = person and day = on_day);
  perform from limit_usage where user_id = person and day = on_day for no key update;
  if enforced and array_remove(decide_limits(person, on_day, at, methods, amounts), null) <> '{}' then
    return false;
  end if;
  update limit_usage as usage set usd_minor = usage.usd_minor + sent.usd_minor, movements = usage.movements + sent.movements
    from (select sum(m.usd_minor) as usd_minor, count(*) as movements from unnest(methods, amounts) as m (method, usd_minor)
           where limit_direction(m.method) = 'out' having count(*) > 0) as sent
   where usage.user_id = person and usage.day = on_day;
  insert into limit_usage_by_method as usage (user_id, day, method, usd_minor, movements)
    select person, on_day, m.method, sum(m.usd_minor), count(*) from unnest(methods, amounts) as m (method, usd_minor)
     where m.method <> 'transfer' group by m.method order by m.method
    on conflict (user_id, day, method) do update
      set usd_minor = usage.usd_minor + excluded.usd_minor, movements = usage.movements + excluded.movements;
  return true;
end
$$;

-- Takes back what was counted, since nothing came of it. Before anything moves in the same transaction: days are locked
-- before accounts. It must not count anything up, which would use up somebody's limit, nor below zero.
drop function reverse_limit_usage(bigint, date, numeric);
create function reverse_limit_usage(usage_user_id bigint, usage_day date, usage_method text, usage_usd_minor numeric) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if usage_usd_minor < 0 then
    return;
  end if;
  update limit_usage set usd_minor = usd_minor - least(usd_minor, usage_usd_minor), movements = greatest(movements - 1, 0)
   where user_id = usage_user_id and day = usage_day and limit_direction(usage_method) = 'out';
  -- The day is the lock of what is counted by method.
  perform from limit_usage where user_id = usage_user_id and day = usage_day for no key update;
  update limit_usage_by_method
     set usd_minor = usd_minor - least(usd_minor, usage_usd_minor), movements = greatest(movements - 1, 0)
   where user_id = usage_user_id and day = usage_day and method = usage_method;
end
$$;

-- Both tables, never one of the last 400 days.
create or replace function clear_limit_usage(before date, at_most int) returns setof bigint
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  delete from limit_usage_by_method where ctid = any (array(
    select ctid from limit_usage_by_method where day < least(before, (now() at time zone 'UTC')::date - 400) limit at_most
  ));
  delete from limit_usage where ctid = any (array(
    select ctid from limit_usage where day < least(before, (now() at time zone 'UTC')::date - 400) limit at_most
  )) returning user_id;
$$;

revoke all on function renew_free_room(bigint[], date[], numeric[], int[], timestamptz) from public;
revoke all on function open_limit_usage(bigint, date, boolean) from public;
revoke all on function count_limit_usage(bigint, date, timestamptz, text[], numeric[], boolean) from public;
revoke all on function reverse_limit_usage(bigint, date, text, numeric) from public;
