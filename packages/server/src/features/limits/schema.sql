-- Limits: amounts and numbers of movements that users may make in a payment, a day or 30 days. Amounts are US dollar
-- cents, days are UTC. `out` is money that leaves a wallet (sends, exchanges, payouts), `in` money pulled from a card
-- or a bank account.

-- Usage that a batch of movements counts: one element per user and day, with the totals of all its movements.
create type limit_quotas as (
  user_id bigint[],
  day date[],
  usd_minor numeric[],
  movements int[],
  -- Largest single amount.
  largest numeric[],
  -- Positions of the movements that are no sends, and their methods.
  method_movement int[],
  method text[]
);

-- Money that left a user's wallet on a day.
create table limit_usage (
  user_id bigint not null,
  day date not null,
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  movements integer not null default 0 check (movements >= 0),
  -- Free room: while the day's sum, number and single amounts stay within these, no limit refuses anything. Unknown if
  -- null, or if `free_version` is not the present version of the policies. Only a user's latest day has room.
  free_usd_minor numeric(38, 0),
  free_movements integer,
  free_payment_usd_minor numeric(38, 0),
  free_version bigint,
  primary key (user_id, day)
) with (fillfactor = 50);
-- For deleting old days.
create index limit_usage_by_day on limit_usage using brin (day) with (pages_per_range = 16, autosummarize = on);

-- Usage by method: exchanges and payouts, which limit_usage includes beside sends, and pulls from cards and banks.
create table limit_usage_by_method (
  user_id bigint not null,
  day date not null,
  method text not null check (method in ('exchange', 'payout', 'card', 'bank')),
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  movements integer not null check (movements >= 0),
  primary key (user_id, day, method)
);
create index limit_usage_by_method_day on limit_usage_by_method
  using brin (day) with (pages_per_range = 16, autosummarize = on);

-- The product's limits. A row with a country replaces the one without for residents of that country.
create table limit_policy (
  verification_state text not null check (verification_state in ('not_started', 'pending', 'in_review',
    'needs_information', 'verified', 'rejected')),
  -- As in the verification form; null: every country.
  country text,
  direction text not null check (direction in ('out', 'in')),
  -- Null: all methods of the direction together.
  method text,
  -- '30_days': the day and the 29 before it.
  period text not null check (period in ('payment', 'day', '30_days')),
  max_usd_minor numeric(38, 0) check (max_usd_minor >= 0),
  max_movements integer check (max_movements >= 0),
  constraint limit_policy_key unique nulls not distinct (verification_state, country, direction, method, period),
  constraint limit_policy_method check (method is null
    or direction = 'out' and method in ('transfer', 'exchange', 'payout')
    or direction = 'in' and method in ('card', 'bank')),
  constraint limit_policy_of_payment_has_no_count check (period <> 'payment' or max_movements is null),
  constraint limit_policy_says_something check (max_usd_minor is not null or max_movements is not null)
);
insert into limit_policy (verification_state, direction, method, period, max_usd_minor, max_movements) values
  ('verified', 'out', null, 'payment', 1000000, null),
  ('verified', 'out', null, 'day', 1500000, null),
  ('verified', 'out', null, '30_days', 5000000, null),
  ('verified', 'out', 'transfer', 'day', null, 200),
  ('verified', 'out', 'payout', 'day', null, 20),
  ('verified', 'in', null, 'payment', 1000000, null),
  ('verified', 'in', null, 'day', 1500000, null),
  ('verified', 'in', null, '30_days', 5000000, null),
  ('verified', 'in', 'card', 'day', null, 20),
  ('verified', 'in', 'bank', 'day', null, 20),
  ('not_started', 'out', null, 'payment', 0, null),
  ('pending', 'out', null, 'payment', 0, null),
  ('in_review', 'out', null, 'payment', 0, null),
  ('needs_information', 'out', null, 'payment', 0, null),
  ('rejected', 'out', null, 'payment', 0, null),
  ('not_started', 'in', null, 'payment', 0, null),
  ('pending', 'in', null, 'payment', 0, null),
  ('in_review', 'in', null, 'payment', 0, null),
  ('needs_information', 'in', null, 'payment', 0, null),
  ('rejected', 'in', null, 'payment', 0, null);

-- Counts the changes of all policies that free room and the rooms of senders are computed from; room of an earlier
-- version is void.
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
create trigger note_limit_policy after insert or delete or update or truncate on limit_policy
  for each statement execute function note_limit_policy();
create trigger note_limit_policy after insert or delete or update or truncate on monitoring_policy
  for each statement execute function note_limit_policy();
create trigger note_limit_policy after insert or delete or update or truncate on reporting_threshold
  for each statement execute function note_limit_policy();

-- Lower limits that users set for themselves, for all methods of a direction together. Null: none.
create table own_limit (
  user_id bigint not null references app_user,
  direction text not null check (direction in ('out', 'in')),
  period text not null check (period in ('day', '30_days')),
  max_usd_minor numeric(38, 0) check (max_usd_minor >= 0),
  -- A raise waits, and replaces the limit at `next_at`.
  next_max_usd_minor numeric(38, 0) check (next_max_usd_minor >= 0),
  next_at timestamptz,
  primary key (user_id, direction, period),
  constraint own_limit_next_has_a_time check (next_at is not null or next_max_usd_minor is null)
);
call seal_table('own_limit', '{user_id, direction, period}', '{max_usd_minor, next_max_usd_minor, next_at}');

-- Voids the free room of a user whose verification or own limits change.
create function forget_free_room() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  person constant bigint := case tg_table_name when 'app_user' then to_jsonb(new) ->> 'id' else to_jsonb(new) ->> 'user_id' end;
begin
  -- Every computation of free room locks this row too, and so sees the change, or is voided by it.
  perform from app_user where id = person for no key update;
  update limit_usage set free_usd_minor = null where user_id = person and free_usd_minor is not null;
  return null;
end
$$;
create trigger forget_free_room after insert or update on own_limit
  for each row execute function forget_free_room();
create trigger forget_free_room after update of kyc_status on app_user
  for each row when (old.kyc_status is distinct from new.kyc_status) execute function forget_free_room();

-- Reading and deciding.

create function limit_direction(method text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case when method in ('card', 'bank') then 'in' else 'out' end
$$;

-- Limits of a person at a time, with their use on that day. `uncounted` is left out of the usage that leaves: a caller
-- that has counted its own movements gets the usage before them.
create function limits_of(
  person bigint, on_day date, at timestamptz, uncounted numeric default 0, uncounted_movements int default 0
) returns table (
  direction text, method text, period text, is_own boolean, max_usd_minor numeric, max_movements int,
  used_usd_minor numeric, used_movements bigint
)
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

-- Decides amounts that a person moves on a day, in order: null if every limit allows it, 'limit_exceeded', or 'busy' if
-- that depends on whether the ones before it are moved. The caller has locked the day's row. Money that left on later
-- days, by a movement that overtook this one, counts too.
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
  -- Usage by the amounts before the current one, if they are moved.
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
  -- The free room of later days does not include this usage.
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

-- Counting. Days are locked before accounts, so these are called before the same transaction moves anything.

-- Counts amounts of a person on a day that no ledger movement counts, such as card payments when they begin: all, or
-- none if a limit refuses one. Returns whether they were counted. Without `enforced` they count in any case, as for
-- money that has already come.
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
    -- The free room of later days does not include this usage. The update locks all of them against a new computation.
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

-- Subtracts a movement that came to nothing from its day.
create function reverse_limit_usage(usage_user_id bigint, usage_day date, usage_method text, usage_usd_minor numeric)
  returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if usage_usd_minor < 0 then
    return;
  end if;
  update limit_usage set usd_minor = usd_minor - least(usd_minor, usage_usd_minor), movements = greatest(movements - 1, 0)
   where user_id = usage_user_id and day = usage_day and limit_direction(usage_method) = 'out';
  -- The day's row is the lock of limit_usage_by_method.
  perform from limit_usage where user_id = usage_user_id and day = usage_day for no key update;
  update limit_usage_by_method
     set usd_minor = usd_minor - least(usd_minor, usage_usd_minor), movements = greatest(movements - 1, 0)
   where user_id = usage_user_id and day = usage_day and method = usage_method;
end
$$;

-- Locks a day for a transaction that calls reverse_limit_usage after it has moved something.
create function lock_limit_usage(usage_user_id bigint, usage_day date) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  select from limit_usage where user_id = usage_user_id and day = usage_day for no key update;
$$;

-- Deletes days of both tables before `before`, but none of the last 400; at most `at_most` rows of each.
create function clear_limit_usage(before date, at_most int) returns setof bigint
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  delete from limit_usage_by_method where ctid = any (array(
    select ctid from limit_usage_by_method where day < least(before, (now() at time zone 'UTC')::date - 400) limit at_most
  ));
  delete from limit_usage where ctid = any (array(
    select ctid from limit_usage where day < least(before, (now() at time zone 'UTC')::date - 400) limit at_most
  )) returning user_id;
$$;

-- Free room.

-- Sum, number and single amount of a day that no limit can refuse. A lower bound, since it holds the sum of all methods
-- against the limit of each. No row for a day that is not the person's latest. Callers use it within their own
-- statements, after they have locked the person.
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

-- Recomputes the free room of days that the caller has locked, and returns the places of those that all counted usage
-- fits. A day whose user is being changed gets none.
create function renew_free_room(persons bigint[], days date[], largest numeric[], places int[], at timestamptz)
  returns int[]
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  known int[];
  free int[];
begin
  -- In a statement of its own, so that the next one sees every change committed before the locks.
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

-- Opens days of usage that do not exist yet, with the usage counted on them and their free room, and voids the room of
-- earlier days. `made` are the places of the opened days, `tight` those that not all usage fits. Days of one person are
-- opened one after another, so that each sees the others. Without `waits`, a day is left out while another transaction
-- holds the person or a day before it.
create function open_limit_usage(
  persons bigint[], days date[], counted_usd numeric[], counted_movements int[], largest numeric[], places int[],
  at timestamptz, waits boolean, out made int[], out tight int[]
)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  known int[];
  -- Places of persons who have free room on an earlier day.
  followed int[];
  inserted_count bigint;
  member int;
begin
  if waits then
    perform from unnest(places) as place join app_user on id = persons[place] order by id for no key update of app_user;
    -- All days in the windows of these: usage counted on them meanwhile would be missing from the sums.
    perform from unnest(places) as place
      join limit_usage as usage on usage.user_id = persons[place] and usage.day between days[place] - 29 and days[place] - 1
     order by usage.user_id, usage.day for no key update of usage;
  end if;
  -- A person without a user moves nothing, so their day may be opened.
  select array_agg(place) into known from unnest(places) as place
    left join lateral (
      select true as is_locked from app_user where id = persons[place] for no key update skip locked
    ) as owner on true
   where (owner.is_locked or (select id from app_user where id = persons[place]) is null)
     -- No join, since the plan is made while the table is empty.
     and (select day from limit_usage where user_id = persons[place] and day = days[place]) is null;
  -- In a statement of its own, so that it sees every change committed before the locks.
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

revoke all on function clear_limit_usage, note_limit_policy, forget_free_room, limits_of, limit_direction,
  decide_limits, count_limit_usage, reverse_limit_usage, limit_room, renew_free_room, open_limit_usage,
  lock_limit_usage from public;
