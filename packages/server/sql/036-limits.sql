-- Owner: limits. Limits are data: by verification state, country, direction, method and window. They are enforced by
-- move_money (037) and count_limit_usage. Amounts are US dollar cents; days are UTC.

-- One row for each limit. A row with a country replaces, for residents of that country, the row without one.
create table limit_policy (
  verification_state text not null check (verification_state in
    ('not_started', 'pending', 'in_review', 'needs_information', 'verified', 'rejected')),
  -- As the verification form names it; null: every country.
  country text,
  -- 'out': what leaves (to other people, into cryptocurrency, to a bank). 'in': what is pulled from a card or a bank.
  direction text not null check (direction in ('out', 'in')),
  -- Null: all methods of the direction together.
  method text,
  -- '30_days': this day and the 29 before it.
  period text not null check (period in ('payment', 'day', '30_days')),
  max_usd_minor numeric(38, 0) check (max_usd_minor >= 0),
  max_movements int check (max_movements >= 0),
  constraint limit_policy_key unique nulls not distinct (verification_state, country, direction, method, period),
  constraint limit_policy_method check (method is null or
    (direction = 'out' and method in ('transfer', 'exchange', 'payout')) or (direction = 'in' and method in ('card', 'bank'))),
  constraint limit_policy_says_something check (max_usd_minor is not null or max_movements is not null),
  constraint limit_policy_of_payment_has_no_count check (period <> 'payment' or max_movements is null)
);

insert into limit_policy (verification_state, direction, period, max_usd_minor)
  select 'verified', direction, period, max_usd_minor
    from unnest(array['out', 'in']) as direction,
      (values ('payment', 1000000), ('day', 1500000), ('30_days', 5000000)) as v (period, max_usd_minor)
  union all
  select state, direction, 'payment', 0
    from unnest(array['not_started', 'pending', 'in_review', 'needs_information', 'rejected']) as state,
      unnest(array['out', 'in']) as direction;

-- Counts the changes of limit_policy: what was worked out by an earlier version is worked out anew.
create table limit_policy_version (
  only_one boolean primary key default true check (only_one),
  version bigint not null
);
insert into limit_policy_version (version) values (1);

create function note_limit_policy() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update limit_policy_version set version = version + 1;
  return null;
end
$$;
revoke all on function note_limit_policy() from public;
create trigger note_limit_policy after insert or update or delete or truncate on limit_policy
  for each statement execute function note_limit_policy();

-- Lower limits that people set for themselves, for all methods of a direction together. Null: none.
create table own_limit (
  user_id bigint not null references app_user,
  direction text not null check (direction in ('out', 'in')),
  period text not null check (period in ('day', '30_days')),
  max_usd_minor numeric(38, 0) check (max_usd_minor >= 0),
  -- A raise waits: from next_at on this holds instead.
  next_max_usd_minor numeric(38, 0) check (next_max_usd_minor >= 0),
  next_at timestamptz,
  primary key (user_id, direction, period),
  constraint own_limit_next_has_a_time check (next_at is not null or next_max_usd_minor is null)
);

-- What left on a day (usd_minor, as before) now has its number of movements, and the room that is known to be free: up to
-- which sum of the day, number and single amount no limit can refuse. Null, or of another version: not known. Only the
-- latest row of a person has it.
alter table limit_usage
  add column movements int not null default 0 check (movements >= 0),
  add column free_usd_minor numeric(38, 0),
  add column free_movements int,
  add column free_payment_usd_minor numeric(38, 0),
  add column free_version bigint,
  -- By person first: 30 days of somebody are one range.
  drop constraint limit_usage_pkey,
  add primary key (user_id, day);
-- For the housekeeping. Of ranges of pages: never cheaper than the primary key for a person's day.
create index limit_usage_by_day on limit_usage using brin (day) with (pages_per_range = 16, autosummarize = on);

-- What of it counted by other methods than sending, and what was pulled. Sends are the rest.
create table limit_usage_by_method (
  user_id bigint not null,
  day date not null,
  method text not null check (method in ('exchange', 'payout', 'card', 'bank')),
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  movements int not null check (movements >= 0),
  primary key (user_id, day, method)
);
create index limit_usage_by_method_day on limit_usage_by_method using brin (day) with (pages_per_range = 16, autosummarize = on);

-- What counted before, by method and number.
create temporary table counted on commit drop as
  select t.user_id, (p.created_at at time zone 'UTC')::date as day,
      case t.kind when 'SEND' then 'transfer' when 'EXCHANGE' then 'exchange' else 'payout' end as method,
      sum(p.quota_amount) as usd_minor, count(*) as movements
    from transaction t
    join ledger.posting p on p.reference = t.id and p.quota_amount is not null
    left join payout o on o.id = t.payment_id and t.kind = 'WITHDRAW'
   where t.kind in ('SEND', 'EXCHANGE') or (t.kind = 'WITHDRAW' and o.status not in ('failed', 'returned'))
   group by 1, 2, 3;
update limit_usage u set movements = c.movements
  from (select user_id, day, sum(movements) as movements from counted group by 1, 2) as c
 where c.user_id = u.user_id and c.day = u.day;
insert into limit_usage_by_method select c.* from counted c join limit_usage u using (user_id, day) where c.method <> 'transfer';

-- What a payment counts when it is begun, and on which day: what is pulled, and what it sends on. Null: nothing, as of
-- deposits begun before this migration.
alter table payment
  add column counted_on date,
  add column pulled_usd_minor numeric(38, 0) check (pulled_usd_minor >= 0),
  add column sent_usd_minor numeric(38, 0) check (sent_usd_minor >= 0),
  add constraint payment_counts_on_a_day check (counted_on is not null or (pulled_usd_minor is null and sent_usd_minor is null));

-- Sends that are under way counted when they were settled; from now on nothing counts then.
update payment set sent_usd_minor = (locked_price ->> 'usdMinor')::numeric, counted_on = (created_at at time zone 'UTC')::date
 where purpose = 'send' and status in ('pending', 'needs_review');
insert into limit_usage (user_id, day, usd_minor, movements)
  select user_id, counted_on, sum(sent_usd_minor), count(*) from payment
   where sent_usd_minor is not null group by 1, 2
  on conflict (user_id, day) do update set usd_minor = limit_usage.usd_minor + excluded.usd_minor,
    movements = limit_usage.movements + excluded.movements;

-- Whoever is verified, or no longer, or changes their own limits: their free room is worked out anew.
create function forget_free_room() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  person constant bigint := case tg_table_name when 'app_user' then to_jsonb(new) ->> 'id' else to_jsonb(new) ->> 'user_id' end;
begin
  -- Whoever works room out locks this row too: it sees the change, or the change waits and takes the room back.
  perform from app_user where id = person for no key update;
  update limit_usage set free_usd_minor = null where user_id = person and free_usd_minor is not null;
  return null;
end
$$;
revoke all on function forget_free_room() from public;
create trigger forget_free_room after update of kyc_status on app_user
  for each row when (old.kyc_status is distinct from new.kyc_status) execute function forget_free_room();
create trigger forget_free_room after insert or update on own_limit for each row execute function forget_free_room();

-- Every limit of somebody at a moment, with what is used of it on that day. `uncounted` is left out of what left: a caller
-- that has counted it already asks what had been used before.
create function limits_of(person bigint, on_day date, at timestamptz, uncounted numeric default 0, uncounted_movements int default 0)
  returns table (direction text, method text, period text, is_own boolean, max_usd_minor numeric, max_movements int,
    used_usd_minor numeric, used_movements bigint)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with person_state as materialized (
    select coalesce((select kyc_status from app_user where id = person), 'not_started') as verification_state,
      (select k.country from kyc_submission k where k.user_id = person and k.status = 'verified'
        order by k.submitted_at desc limit 1) as country
  ), by_method as materialized (
    select 'out' as direction, m.method, sum(m.usd_minor) filter (where m.day = on_day) as day_usd,
        sum(m.movements) filter (where m.day = on_day) as day_movements, sum(m.usd_minor) as month_usd, sum(m.movements) as month_movements
      from limit_usage_by_method m
     where m.user_id = person and m.day between on_day - 29 and on_day and m.method in ('exchange', 'payout') group by 2
    union all
    select 'in', m.method, sum(m.usd_minor) filter (where m.day = on_day),
        sum(m.movements) filter (where m.day = on_day), sum(m.usd_minor), sum(m.movements)
      from limit_usage_by_method m
     where m.user_id = person and m.day between on_day - 29 and on_day and m.method in ('card', 'bank') group by 2
  ), total_out as materialized (
    select coalesce(sum(u.usd_minor) filter (where u.day = on_day), 0) - uncounted as day_usd,
        coalesce(sum(u.movements) filter (where u.day = on_day), 0) - uncounted_movements as day_movements,
        coalesce(sum(u.usd_minor), 0) - uncounted as month_usd, coalesce(sum(u.movements), 0) - uncounted_movements as month_movements
      from limit_usage u where u.user_id = person and u.day between on_day - 29 and on_day
  ), used as materialized (
    select b.direction, b.method, b.day_usd, b.day_movements, b.month_usd, b.month_movements from by_method b
    union all
    select 'out', null, t.day_usd, t.day_movements, t.month_usd, t.month_movements from total_out t
    union all
    select 'out', 'transfer', t.day_usd - coalesce(sum(b.day_usd), 0), t.day_movements - coalesce(sum(b.day_movements), 0),
        t.month_usd - coalesce(sum(b.month_usd), 0), t.month_movements - coalesce(sum(b.month_movements), 0)
      from total_out t left join by_method b on b.direction = 'out'
     group by t.day_usd, t.day_movements, t.month_usd, t.month_movements
    union all
    select 'in', null, sum(b.day_usd), sum(b.day_movements), sum(b.month_usd), sum(b.month_movements)
      from by_method b where b.direction = 'in'
  ), limits as (
    (select distinct on (p.direction, p.method, p.period)
        p.direction, p.method, p.period, false as is_own, p.max_usd_minor, p.max_movements
      from limit_policy p, person_state s
     where p.verification_state = s.verification_state and (p.country is null or p.country = s.country)
     order by p.direction, p.method, p.period, p.country nulls last)
    union all
    select o.direction, null, o.period, true, o.max_usd_minor, null
      from own_limit o where o.user_id = person and (o.next_at is null or o.next_at > at) and o.max_usd_minor is not null
    union all
    select o.direction, null, o.period, true, o.next_max_usd_minor, null
      from own_limit o where o.user_id = person and o.next_at <= at and o.next_max_usd_minor is not null
  )
  select l.direction, l.method, l.period, l.is_own, l.max_usd_minor, l.max_movements,
      case l.period when 'payment' then 0 when 'day' then coalesce(u.day_usd, 0) else coalesce(u.month_usd, 0) end,
      case l.period when 'payment' then 0 when 'day' then coalesce(u.day_movements, 0) else coalesce(u.month_movements, 0) end
    from limits l left join used u on u.direction = l.direction and u.method is not distinct from l.method
   order by l.direction desc, l.method nulls first, array_position(array['payment', 'day', '30_days'], l.period), l.is_own
$$;

create function limit_direction(method text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case when method in ('card', 'bank') then 'in' else 'out' end
$$;

-- Decides about amounts that somebody moves on a day, in order: null where every limit lets it pass, 'limit_exceeded', or
-- 'busy' where that depends on whether those before it are really moved. The caller holds the row of the day. What left
-- later, because a movement of a new day was quicker, counts with it.
create function decide_limits(
  person bigint, on_day date, at timestamptz, methods text[], amounts numeric[],
  uncounted numeric default 0, uncounted_movements int default 0
) returns text[]
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  decisions text[] := array_fill(null::text, array[cardinality(amounts)]);
  later date[];
  limit_of text[];
  limit_method text[];
  limit_period text[];
  max_usd numeric[];
  max_count int[];
  used_usd numeric[];
  used_count bigint[];
  -- What those before it add, if they are moved.
  more_usd numeric[];
  more_count bigint[];
  fits_alone boolean;
  fits boolean;
  is_subject boolean[];
begin
  select array_agg(l.day order by l.day) into later from (
    select u.day from limit_usage u where u.user_id = person and u.day between on_day + 1 and on_day + 29
     order by u.day for no key update
  ) as l;
  -- What is counted here is not in the sums of their free room.
  update limit_usage set free_usd_minor = null where user_id = person and day = any (later) and free_usd_minor is not null;
  select array_agg(l.direction), array_agg(l.method), array_agg(l.period), array_agg(l.max_usd_minor), array_agg(l.max_movements),
      array_agg(l.used_usd_minor), array_agg(l.used_movements), array_agg(0::numeric), array_agg(0::bigint)
    into limit_of, limit_method, limit_period, max_usd, max_count, used_usd, used_count, more_usd, more_count
    from (
      select * from limits_of(person, on_day, at, uncounted, uncounted_movements)
      union all
      select o.* from unnest(later) as l (day) cross join lateral limits_of(person, l.day, at, uncounted, uncounted_movements) as o
       where o.period = '30_days'
    ) as l;
  for n in 1 .. cardinality(amounts) loop
    fits_alone := true;
    fits := true;
    is_subject := '{}';
    for w in 1 .. coalesce(cardinality(limit_of), 0) loop
      is_subject[w] := limit_of[w] = limit_direction(methods[n]) and (limit_method[w] is null or limit_method[w] = methods[n]);
      continue when not is_subject[w];
      if limit_period[w] = 'payment' then
        fits_alone := fits_alone and amounts[n] <= max_usd[w];
      else
        fits_alone := fits_alone and (used_usd[w] + amounts[n] <= max_usd[w]) is not false
          and (used_count[w] + 1 <= max_count[w]) is not false;
        fits := fits and (used_usd[w] + more_usd[w] + amounts[n] <= max_usd[w]) is not false
          and (used_count[w] + more_count[w] + 1 <= max_count[w]) is not false;
      end if;
    end loop;
    if not fits_alone then
      decisions[n] := 'limit_exceeded';
    elsif not fits then
      decisions[n] := 'busy';
    else
      for w in 1 .. coalesce(cardinality(limit_of), 0) loop
        continue when not is_subject[w];
        more_usd[w] := more_usd[w] + amounts[n];
        more_count[w] := more_count[w] + 1;
      end loop;
    end if;
  end loop;
  return decisions;
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
  perform open_limit_usage(array[person], array[on_day], '{0}', '{0}', '{0}', '{1}', at, true)
    where not exists (select from limit_usage where user_id = person and day = on_day);
  perform from limit_usage where user_id = person and day = on_day for no key update;
  if enforced and array_remove(decide_limits(person, on_day, at, methods, amounts), null) <> '{}' then
    return false;
  end if;
  if not enforced then
    -- What is counted here is not in the sums of their free room. All are locked: nobody works room out without it meanwhile.
    update limit_usage set free_usd_minor = null where user_id = person and day between on_day + 1 and on_day + 29;
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

revoke all on function limits_of(bigint, date, timestamptz, numeric, int) from public;
revoke all on function limit_direction(text) from public;
revoke all on function decide_limits(bigint, date, timestamptz, text[], numeric[], numeric, int) from public;
revoke all on function count_limit_usage(bigint, date, timestamptz, text[], numeric[], boolean) from public;
revoke all on function reverse_limit_usage(bigint, date, text, numeric) from public;
