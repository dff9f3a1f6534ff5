-- Owner: wallets. move_money decides the wallet sends of its batch: by the room of their sender, or by decide_risk.

drop function move_money(ledger.batch, transaction_rows, limit_quotas, transaction_settlements, boolean);
create function move_money(batch ledger.batch, rows public.transaction_rows, quotas public.limit_quotas, settlements public.transaction_settlements, waits boolean DEFAULT true, guards public.movement_guards DEFAULT NULL::public.movement_guards, OUT statuses text[], OUT settled_users bigint[])
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $$
declare
  movement_id constant uuid[] := batch.movement_id;
  movement_reference constant uuid[] := batch.movement_reference;
  movement_at constant timestamptz[] := batch.movement_at;
  movement_quota constant int[] := batch.movement_quota;
  movement_quota_amount constant numeric[] := batch.movement_quota_amount;
  accounts constant bigint[] := batch.accounts;
  leg_code constant text[] := batch.leg_code;
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
  guard_movement constant int[] := guards.movement;
  guard_mode constant text[] := guards.mode;
  guard_person constant bigint[] := guards.person;
  guard_payee constant text[] := guards.payee;
  guard_usd constant numeric[] := guards.usd_minor;
  guard_version constant bigint[] := guards.version;
  guard_count constant int := coalesce(cardinality(guard_movement), 0);
  has_quotas constant boolean := cardinality(quota_user) > 0;
  quota_used numeric[] := '{}';
  counted_places int[];
  -- Days on which a limit may refuse something.
  guarded int[] := '{}';
  missing int[];
  members int[];
  methods text[] := '{}';
  decisions text[];
  decided_quota int[] := movement_quota;
  decided_limit numeric[] := batch.movement_quota_limit;
  -- Places of sends that are counted against their room, and those whose payee has had too much today.
  by_room int[] := '{}';
  over_person bigint[];
  over_payee text[];
  -- Decisions of the others by place, null for what did not pass.
  made uuid[];
  is_authorized boolean[];
  is_quiet boolean[];
  is_quiet_for_sender boolean[];
  disturbed bigint[];
  -- One element per movement.
  has_passed_by_room boolean[];
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
    batch.movement_quota_limit := decided_limit;
  end if;

  -- Whether the sender may send this without a proof. After the days, before the accounts: so do all who lock both.
  if guard_count > 0 then
    with roomy as materialized (
      select g.place from generate_series(1, guard_count) as g (place)
       cross join lateral (
         select s.free_until, s.free_payment_usd_minor, s.free_version from send_guard s where s.user_id = guard_person[g.place] limit 1
       ) as room
       where guard_mode[g.place] = 'room' and quota_used[movement_quota[guard_movement[g.place]]] is not null
         and room.free_until > movement_at[guard_movement[g.place]] and guard_usd[g.place] <= room.free_payment_usd_minor
         and room.free_version = guard_version[g.place]
         and room.free_version = (select version from limit_policy_version)
    ), counted as (
      insert into risk_payee_day as d (user_id, day, payee, is_trusted, usd_minor)
        select guard_person[roomy.place], (movement_at[guard_movement[roomy.place]] at time zone 'UTC')::date,
            guard_payee[roomy.place], true, sum(guard_usd[roomy.place])
          from roomy group by 1, 2, 3 order by 1, 2, 3
      on conflict (user_id, day, payee, is_trusted) do update set usd_minor = d.usd_minor + excluded.usd_minor
      returning d.user_id, d.payee, d.usd_minor
    )
    select coalesce((select array_agg(roomy.place) from roomy), '{}'), array_agg(counted.user_id), array_agg(counted.payee)
      into by_room, over_person, over_payee
      from counted
     where counted.usd_minor > (select trusted_payee_usd_minor from risk_policy order by version desc limit 1);
    is_authorized := array_fill(false, array[guard_count]);
    has_passed_by_room := array_fill(false, array[cardinality(movement_id)]);
    for n in 1 .. cardinality(by_room) loop
      is_authorized[by_room[n]] := true;
      has_passed_by_room[guard_movement[by_room[n]]] := true;
    end loop;
    for n in 1 .. coalesce(cardinality(over_person), 0) loop
      for g in 1 .. guard_count loop
        if guard_person[g] = over_person[n] and guard_payee[g] = over_payee[n] and guard_mode[g] = 'room' then
          is_authorized[g] := false;
        end if;
      end loop;
    end loop;
    if 'decide' = any (guard_mode) or 'prove' = any (guard_mode) then
      made := decide_guards(guards, array(
          select g.place from generate_series(1, guard_count) as g (place)
           where guard_mode[g.place] <> 'room' and quota_used[movement_quota[guard_movement[g.place]]] is not null),
        movement_id, movement_at);
    end if;
    for g in 1 .. guard_count loop
      if not is_authorized[g] and made[g] is null then
        decided_quota[guard_movement[g]] := cardinality(quota_user) + 1;
      else
        is_authorized[g] := true;
      end if;
    end loop;
  end if;
  if guard_count > 0 or cardinality(guarded) > 0 then
    -- No quota has the last place: the ledger answers busy.
    batch.movement_quota := decided_quota;
    quota_used := array_append(quota_used, null);
  end if;

  statuses := ledger.post(batch, quota_used, waits);

  for g in 1 .. guard_count loop
    if not is_authorized[g] and statuses[guard_movement[g]] = 'busy'
      and quota_used[movement_quota[guard_movement[g]]] is not null then
      statuses[guard_movement[g]] := 'not_authorized';
    end if;
  end loop;

  -- One look for the whole batch, by small partial indexes: hardly anybody is stopped, or has restricted money. Each statement sees
  -- what was committed before it, while the accounts are locked.
  if exists (select from app_user u where u.id = any (row_sender_id) and u.frozen_at is not null)
    or exists (select from reconciliation_exception e
      where e.owner_id = any (row_sender_id) and e.kind = 'loss' and e.closed_at is null)
    or exists (select from compliance_case c
      where c.user_id = any (row_sender_id || row_recipient_id) and c.stops = 'person' and c.state <> 'cleared') then
    perform require_no_stop(rows, statuses);
  end if;
  if leg_code && '{deposit,refund}' or exists (select from restricted_money m where m.account_id = any (accounts)) then
    perform carry_restricted_money(batch, rows, statuses);
  end if;

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
      payment_id, quote_id, passed_by_room)
    select row_user_id[r], movement_reference[row_movement[r]], movement_id[row_movement[r]], row_kind[r], row_status[r],
      movement_at[row_movement[r]], row_sender_id[r], row_recipient_id[r], row_wallet_id[r],
      row_from_wallet_id[r], row_to_wallet_id[r], row_description[r], row_source_amount[r],
      row_source_currency[r], row_target_amount[r], row_target_currency[r], row_stablecoin_amount[r],
      row_rate_numerator[r], row_rate_denominator[r], row_fee_amount[r], row_fee_currency[r],
      row_payment_source[r], row_payment_id[r], row_quote_id[r],
      case when row_kind[r] = 'SEND' and has_passed_by_room[row_movement[r]] then true end
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

  -- What was reserved for a price that money has moved at is free again. While a transfer is held, it stays reserved.
  if cardinality(batch.tokens) > 0 then
    delete from liquidity_reservation where id = any (array(
      select batch.tokens[batch.movement_token[row_movement[r]]] from generate_series(1, cardinality(row_movement)) as r
       where row_kind[r] in ('SEND', 'EXCHANGE') and row_status[r] = 'COMPLETED' and statuses[row_movement[r]] = 'posted'
         and batch.movement_token[row_movement[r]] is not null));
  end if;

  -- A quiet send gives monitoring nothing new to look at, neither about its sender nor its recipient. Everything else does.
  if guard_count > 0 then
    is_quiet := array_fill(false, array[cardinality(movement_id)]);
    is_quiet_for_sender := is_quiet;
    for g in 1 .. guard_count loop
      is_quiet[guard_movement[g]] := guards.is_quiet[g];
      is_quiet_for_sender[guard_movement[g]] := guard_mode[g] = 'room' or guards.room_generation[g] is not null;
    end loop;
  end if;
  select array_agg(distinct row_user_id[r]) into disturbed
    from generate_series(1, cardinality(row_movement)) as r
   where statuses[row_movement[r]] = 'posted' and row_kind[r] <> 'EXCHANGE'
     and (case row_kind[r] when 'SEND' then is_quiet_for_sender else is_quiet end)[row_movement[r]] is not true;
  if disturbed is not null then
    perform disturb_send_guards(disturbed);
  end if;
  if guard_count > 0 and (not ('posted' = all (statuses)) or exists (select from unnest(guards.room_generation) as g where g is not null)) then
    perform settle_guards(guards, by_room, made, statuses, movement_at);
  end if;
end
$$;

revoke all on function move_money(ledger.batch, transaction_rows, limit_quotas, transaction_settlements, boolean, movement_guards)
  from public;
