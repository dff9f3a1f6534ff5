-- Owner: wallets. move_money checks once per batch for stopped people and for restricted money. The tables and functions that it
-- calls are created by the next migrations.

-- Raises TC001 where a posted send or exchange belongs to a person whom an open case stops.
create function require_no_stop(rows transaction_rows, statuses text[]) returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  row_movement constant int[] := rows.movement;
  row_kind constant text[] := rows.kind;
  row_status constant text[] := rows.status;
  row_sender_id constant bigint[] := rows.sender_id;
  row_recipient_id constant bigint[] := rows.recipient_id;
begin
  if exists (
    select from generate_series(1, cardinality(row_movement)) as r
     where row_kind[r] in ('SEND', 'EXCHANGE') and row_status[r] = 'COMPLETED' and statuses[row_movement[r]] = 'posted'
       and exists (select from compliance_case c
         where c.user_id in (row_sender_id[r], row_recipient_id[r]) and c.stops = 'person' and c.state <> 'cleared')
  ) then
    raise exception 'a case stops somebody' using errcode = 'TC001';
  end if;
end
$$;

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
