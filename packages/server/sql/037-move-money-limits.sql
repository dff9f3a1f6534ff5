-- Owner: limits and wallets. move_money enforces every limit of limit_policy and own_limit. The plain case costs nothing more
-- than counting: a day of usage knows how much of it no limit can refuse. Only beyond that are the limits looked at.

-- How much each pair of person and day counts: movements and largest amount beside the sum. And which movements count by
-- another method than sending.
alter type limit_quotas
  add attribute movements int[],
  add attribute largest numeric[],
  add attribute method_movement int[],
  add attribute method text[];

-- How much of a day no limit can refuse: the sum, the number and the single amount. It is never more than the limits allow:
-- the sum of all methods is held against the limit of each. No row for a day that is not the latest of its person. Its
-- callers put it into their own statements, and have locked the person.
create function limit_room(person bigint, on_day date, earlier_usd numeric, earlier_movements bigint, at timestamptz)
  returns table (usd_minor numeric, movements bigint, payment_usd_minor numeric)
language sql stable as $$
  select least(99999999999999999999999999999999999999,
        min(l.max_usd_minor - case l.period when '30_days' then earlier_usd else 0 end) filter (where l.period <> 'payment')),
      least(2147483647, min(l.max_movements - case l.period when '30_days' then earlier_movements else 0 end)),
      least(99999999999999999999999999999999999999, min(l.max_usd_minor) filter (where l.period = 'payment'))
    from (
      select p.period, p.max_usd_minor, p.max_movements from limit_policy p
       where p.direction = 'out'
         and p.verification_state = coalesce((select u.kyc_status from app_user u where u.id = person), 'not_started')
         and (p.country is null or p.country = (select k.country from kyc_submission k
           where k.user_id = person and k.status = 'verified' order by k.submitted_at desc limit 1))
      union all
      select o.period, case when o.next_at <= at then o.next_max_usd_minor else o.max_usd_minor end, null
        from own_limit o where o.user_id = person and o.direction = 'out'
    ) as l
  having not exists (select from limit_usage u where u.user_id = person and u.day between on_day + 1 and on_day + 29)
$$;

-- Works out the free room of days again, and gives those on which all that is counted fits. Every day is the caller's,
-- locked. One whose owner is being changed has none: their limits are looked at each time.
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
       set free_usd_minor = room.usd_minor, free_movements = room.movements, free_payment_usd_minor = room.payment_usd_minor,
           free_version = (select version from limit_policy_version)
      from unnest(known) as place
      cross join lateral (
        select coalesce(sum(e.usd_minor), 0) as usd_minor, coalesce(sum(e.movements), 0) as movements
          from limit_usage e where e.user_id = persons[place] and e.day between days[place] - 29 and days[place] - 1
      ) as earlier
      cross join lateral limit_room(persons[place], days[place], earlier.usd_minor, earlier.movements, at) as room
     where usage.user_id = persons[place] and usage.day = days[place]
    returning place, usage.usd_minor <= usage.free_usd_minor and usage.movements <= usage.free_movements
      and largest[place] <= usage.free_payment_usd_minor as fits
  )
  select coalesce(array_agg(place) filter (where fits), '{}') into free from renewed;
  return free;
end
$$;

-- Makes days of usage that do not exist yet, with what is counted on them and their free room. The days before have none
-- any more. `made` are those that were made, `tight` those of them on which not all of it fits. Days of one person are made
-- one after another, so that each sees those before and after it. Without `waits` nothing is made while somebody else holds
-- the person or one of those days.
create function open_limit_usage(
  persons bigint[], days date[], counted_usd numeric[], counted_movements int[], largest numeric[], places int[],
  at timestamptz, waits boolean, out made int[], out tight int[]
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  known int[];
  -- The person has an earlier day with free room.
  followed int[];
  inserted_count bigint;
  member int;
begin
  if waits then
    perform from unnest(places) as place join app_user on id = persons[place] order by id for no key update of app_user;
    -- All days that a window of these reaches: what is counted on them meanwhile would be in no sum.
    perform from unnest(places) as place
      join limit_usage as usage on usage.user_id = persons[place] and usage.day between days[place] - 29 and days[place] - 1
     order by usage.user_id, usage.day for no key update of usage;
  end if;
  -- Who is nobody's user moves nothing: their day may be made.
  select array_agg(place) into known from unnest(places) as place
    left join lateral (
      select true as is_locked from app_user where id = persons[place] for no key update skip locked
    ) as owner on true
   where (owner.is_locked or (select id from app_user where id = persons[place]) is null)
     -- Not by a join: the plan is made when the table is empty.
     and (select day from limit_usage where user_id = persons[place] and day = days[place]) is null;
  -- In a statement of its own: it sees all that whoever held a person before has done.
  with opened as materialized (
    select place, room.usd_minor, room.movements, room.payment_usd_minor,
        earlier.is_free, (counted_usd[place] <= room.usd_minor and counted_movements[place] <= room.movements
          and largest[place] <= room.payment_usd_minor) is true as fits
      from unnest(known) as place
      cross join lateral (
        select count(*) as locked, bool_or(l.free_usd_minor is not null) as is_free,
            coalesce(sum(l.usd_minor), 0) as usd_minor, coalesce(sum(l.movements), 0)::bigint as movements
          from (
            select e.usd_minor, e.movements, e.free_usd_minor from limit_usage e
             where e.user_id = persons[place] and e.day between days[place] - 29 and days[place] - 1
               for no key update skip locked
          ) as l
      ) as earlier
      left join lateral limit_room(persons[place], days[place], earlier.usd_minor, earlier.movements, at) as room on true
     where earlier.locked = (select count(*) from limit_usage e
       where e.user_id = persons[place] and e.day between days[place] - 29 and days[place])
  ), inserted as (
    insert into limit_usage
        (user_id, day, usd_minor, movements, free_usd_minor, free_movements, free_payment_usd_minor, free_version)
      select persons[place], days[place], counted_usd[place], counted_movements[place],
          usd_minor, opened.movements, payment_usd_minor, (select version from limit_policy_version)
        from opened
      on conflict do nothing
    returning true
  )
  select coalesce(array_agg(place), '{}'), coalesce(array_agg(place) filter (where not fits), '{}'),
      coalesce(array_agg(place) filter (where is_free), '{}'), (select count(*) from inserted)
    into made, tight, followed, inserted_count
    from opened;
  if inserted_count <> cardinality(made) then
    raise exception 'a day of usage was made by somebody else' using errcode = 'serialization_failure';
  end if;
  foreach member in array followed loop
    update limit_usage set free_usd_minor = null
     where user_id = persons[member] and day between days[member] - 29 and days[member] - 1 and free_usd_minor is not null;
  end loop;
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
    for attempt in 1 .. 3 loop
      if attempt = 2 then
        select opened.made, guarded || opened.tight into counted_places, guarded
          from open_limit_usage(quota_user, quota_day, quota_usd, quota_movements, quota_largest, missing,
            (select min(t.at) from unnest(movement_at) as t (at)), waits and cardinality(quota_user) = 1) as opened;
      elsif waits then
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
      exit when cardinality(missing) = 0 or (attempt = 2 and not waits and cardinality(counted_places) = 0);
      -- A day that somebody else made meanwhile may be locked by whoever waits for one that is counted here already.
      if waits and (attempt = 3 or (attempt = 2 and cardinality(quota_user) > 1)) then
        raise exception 'a day of usage was changed by somebody else' using errcode = 'serialization_failure';
      end if;
    end loop;
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

revoke all on function limit_room(bigint, date, numeric, bigint, timestamptz) from public;
revoke all on function renew_free_room(bigint[], date[], numeric[], int[], timestamptz) from public;
revoke all on function open_limit_usage(bigint[], date[], numeric[], int[], numeric[], int[], timestamptz, boolean)
  from public;
