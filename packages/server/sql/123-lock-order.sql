-- Owner: risk. As before, but keeping a room waits for nobody. Batches lock the guards of their recipients first and those of their
-- senders afterwards: where two sends cross, each would wait for the other. Whoever holds a sender's guard ends the sender's room, so
-- there is none to keep; no other send of the sender holds it, because sends of one person wait for the person's usage of today.

create or replace function settle_guards(guards movement_guards, by_room int[], made uuid[], statuses text[], movement_at timestamptz[])
  returns void
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  guard_movement constant int[] := guards.movement;
  person constant bigint[] := guards.person;
  payee_name constant text[] := guards.payee;
  usd constant numeric[] := guards.usd_minor;
  g int;
begin
  for g in select place from unnest(by_room) as place where statuses[guard_movement[place]] <> 'posted' order by person[place], place loop
    update risk_payee_day d set usd_minor = d.usd_minor - usd[g]
     where d.user_id = person[g] and d.day = (movement_at[guard_movement[g]] at time zone 'UTC')::date and d.payee = payee_name[g]
       and d.is_trusted;
  end loop;
  for g in select place from generate_series(1, coalesce(cardinality(made), 0)) as place
            where made[place] is not null and statuses[guard_movement[place]] <> 'posted' order by person[place], place loop
    perform take_back_risk(made[g], movement_at[guard_movement[g]]);
    -- Sent again and decided anew, without an answer in between.
    delete from risk_decision d where d.id = made[g] and d.requests = 0 and statuses[guard_movement[g]] like 'busy%';
  end loop;
  for g in select place from generate_series(1, cardinality(guard_movement)) as place
            where guards.room_generation[place] is not null and statuses[guard_movement[place]] = 'posted' order by person[place], place loop
    update send_guard s set free_until = guards.room_until[g], free_payment_usd_minor = guards.room_payment_usd_minor[g],
        free_version = guards.room_version[g]
     where s.user_id = (select f.user_id from send_guard f where f.user_id = person[g] for no key update skip locked)
       and s.generation = guards.room_generation[g];
  end loop;
end
$$;

-- Owner: limits. For a transaction that reverses what was counted only after it has moved something: days are locked before accounts.
create function lock_limit_usage(usage_user_id bigint, usage_day date) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select from limit_usage where user_id = usage_user_id and day = usage_day for no key update;
$$;

revoke all on function lock_limit_usage(bigint, date) from public;
