-- Risk: which requests need a fresh confirmation by the account holder, and street mode, which holds payments made away
-- from trusted places or at night. Amounts are US dollar cents unless a currency stands beside them; days are UTC.

-- Thresholds of the rules. The highest version is in force; every decision names the one it used.
create table risk_policy (
  version integer primary key check (version > 0),
  -- Total since the last proof, in amount and number.
  allowance_usd_minor numeric(38, 0) not null check (allowance_usd_minor >= 0),
  allowance_payments integer not null check (allowance_payments >= 0),
  -- Payees not yet trusted that may be paid without a proof on one day.
  new_payees_per_day integer not null check (new_payees_per_day >= 0),
  -- A payee is trusted this long after the first payment that arrived, up to this amount a day.
  trusted_after_hours integer not null check (trusted_after_hours > 0),
  trusted_payee_usd_minor numeric(38, 0) not null check (trusted_payee_usd_minor >= 0),
  -- No payee is trusted from a further device for this long after the first sign-in on it.
  new_device_hours integer not null check (new_device_hours >= 0),
  -- No payee is trusted for this long after a change of the account's factors.
  new_factor_hours integer not null check (new_factor_hours >= 0)
);
insert into risk_policy (version, allowance_usd_minor, allowance_payments, new_payees_per_day, trusted_after_hours,
  trusted_payee_usd_minor, new_device_hours, new_factor_hours) values
  (1, 10000, 5, 3, 24, 100000, 24, 0),
  (2, 10000, 5, 3, 24, 100000, 24, 24);
-- The rooms of senders depend on these thresholds, too.
create trigger note_limit_policy after insert or delete or update or truncate on risk_policy
  for each statement execute function note_limit_policy();

-- Payments passed without a proof since the last one.
create table risk_profile (
  user_id bigint primary key references app_user,
  -- By the real clock, which dates proofs.
  proven_at timestamptz,
  -- When that proof was recorded, by the product's clock.
  counted_since timestamptz,
  unproven_usd_minor numeric(38, 0) not null default 0 check (unproven_usd_minor >= 0),
  unproven_payments integer not null default 0 check (unproven_payments >= 0)
);

-- Payments passed without a proof to one payee on one day. A payee is a person or a bank account.
create table risk_payee_day (
  user_id bigint not null references app_user,
  day date not null,
  payee text not null,
  is_trusted boolean not null,
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  primary key (user_id, day, payee, is_trusted)
) with (fillfactor = 50);
create index risk_payee_day_old on risk_payee_day using brin (day) with (pages_per_range = 16, autosummarize = on);

-- Every decision, with its rule and the rule's inputs.
create table risk_decision (
  id uuid primary key,
  -- Derived from the request's idempotency key.
  movement uuid not null,
  user_id bigint not null references app_user,
  decided_at timestamptz not null,
  policy_version integer not null references risk_policy,
  kind text not null check (kind in ('transfer', 'payout', 'pull')),
  payee text,
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  rule text not null check (rule in ('trusted_payee', 'allowance', 'proven', 'allowance_amount', 'allowance_payments',
    'new_payees')),
  passed boolean not null,
  inputs jsonb not null,
  taken_back_at timestamptz,
  -- SHA-256 over kind, payee, amount, currency and source, the same for a retry. Null: matches no request.
  request_digest bytea check (length(request_digest) = 32),
  -- Number of requests that passed with this decision and have not failed.
  requests integer not null default 1 check (requests >= 0),
  -- When it stopped covering further requests, because its count had expired.
  closed_at timestamptz
);
create index risk_decision_of_user on risk_decision (user_id, decided_at);
create index risk_decision_old on risk_decision
  using brin (decided_at) with (pages_per_range = 16, autosummarize = on);
create unique index risk_decision_open on risk_decision (movement, request_digest)
  where passed and taken_back_at is null and closed_at is null;

-- Settings of street mode. The highest version is in force.
create table street_policy (
  version integer primary key check (version > 0),
  -- A held payment can be confirmed after `hold_minutes`, for `confirm_hours`; then it is returned.
  hold_minutes integer not null check (hold_minutes > 0),
  confirm_hours integer not null check (confirm_hours > 0),
  -- Delay of changes that weaken the mode.
  weaken_after_hours integer not null check (weaken_after_hours > 0),
  -- Payments passed within this time count together against the user's limit.
  counted_hours integer not null check (counted_hours > 0),
  most_places integer not null check (most_places > 0),
  -- A held payment whose price has become better for its recipient by more than this cannot be confirmed.
  price_tolerance_basis_points integer not null check (price_tolerance_basis_points >= 0)
);
insert into street_policy (version, hold_minutes, confirm_hours, weaken_after_hours, counted_hours, most_places,
  price_tolerance_basis_points) values
  (1, 60, 24, 24, 24, 5, 100);

-- A user's choices. The latest one already valid is in force; at most one lies in the future.
create table street_setting (
  user_id bigint not null references app_user,
  valid_from timestamptz not null,
  is_on boolean not null,
  -- In minor units of the currency, and its value when it was chosen.
  limit_minor numeric(38, 0) not null check (limit_minor >= 0),
  currency text not null,
  limit_usd_minor numeric(38, 0) not null check (limit_usd_minor >= 0),
  -- Full hours in the time zone. Equal: no night.
  night_from smallint not null check (night_from between 0 and 23),
  night_until smallint not null check (night_until between 0 and 23),
  time_zone text not null,
  primary key (user_id, valid_from)
);

-- Places where a user is at home. `network` is named as in sessions; positions are never stored.
create table street_place (
  id uuid primary key,
  user_id bigint not null references app_user,
  name text not null,
  country text,
  network text not null,
  trusted_from timestamptz not null,
  created_at timestamptz not null,
  unique (user_id, network)
);

-- Payments that passed within the limit while their sender was away or it was night.
create table street_passed (
  -- Derived from the request's idempotency key.
  movement uuid not null,
  user_id bigint not null references app_user,
  passed_at timestamptz not null,
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  request_digest bytea not null,
  primary key (movement, request_digest)
);
create index street_passed_of_user on street_passed (user_id, passed_at);
create index street_passed_old on street_passed
  using brin (passed_at) with (pages_per_range = 16, autosummarize = on);

-- Rooms: a room lets ordinary sends of a user pass without reading further facts about them.
create table send_guard (
  user_id bigint primary key references app_user on delete cascade,
  -- Counts the events that may change a rule's outcome for this sender; a room computed from older facts is not stored.
  generation bigint not null default 0,
  -- Until then no rule holds a send of at most this value to a trusted payee. Null: no room.
  free_until timestamptz,
  free_payment_usd_minor numeric(38, 0) check (free_payment_usd_minor >= 0),
  -- Version of the policies (limit_policy_version) that the room was computed with.
  free_version bigint,
  constraint send_guard_room check ((free_until is null) = (free_payment_usd_minor is null)
    and (free_until is null) = (free_version is null))
) with (fillfactor = 50);

-- Every user has a guard from the beginning, so that no facts are older than it.
create function open_send_guard() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into send_guard (user_id) values (new.id);
  return null;
end
$$;
create trigger open_send_guard after insert on app_user
  for each row execute function open_send_guard();

-- Ends the room of a sender whose factors or street mode change.
create function forget_send_room() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  changed constant jsonb := to_jsonb(case tg_op when 'DELETE' then old else new end);
begin
  update send_guard set generation = generation + 1, free_until = null, free_payment_usd_minor = null, free_version = null
   where user_id = (changed ->> case tg_table_name when 'app_user' then 'id' else 'user_id' end)::bigint;
  return null;
end
$$;
create trigger forget_send_room after insert or delete or update on street_setting
  for each row execute function forget_send_room();
create trigger forget_send_room after update of factor_changed_at on app_user
  for each row when (old.factor_changed_at is distinct from new.factor_changed_at) execute function forget_send_room();

-- Risk decisions.

-- Decides whether a request passes without a proof, and counts it if it does. `digest` identifies the request: a retry
-- passes with its first decision and counts once; another request under the same key is decided separately. Locks the
-- person's profile, so that all processes decide one at a time.
create function decide_risk(
  decision uuid, movement_id uuid, digest bytea, person bigint, at timestamptz, what text, payee_name text,
  trusted boolean, new_device boolean, usd numeric
) returns table (passed boolean, rule text, passed_with uuid)
language plpgsql set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  on_day constant date := (at at time zone 'UTC')::date;
  policy risk_policy;
  profile risk_profile;
  earlier risk_decision;
  trusted_usd numeric;
  new_payees bigint;
  new_factor text;
  decided text;
  passes boolean;
begin
  insert into risk_profile (user_id) values (person) on conflict (user_id) do nothing;
  select * into profile from risk_profile where user_id = person for no key update;
  select d.* into earlier from risk_decision d
   where d.movement = movement_id and d.request_digest = digest and d.passed and d.taken_back_at is null and d.closed_at is null;
  if earlier.id is not null then
    if risk_decision_counts(earlier, profile, at) then
      update risk_decision d set requests = d.requests + 1 where d.id = earlier.id;
      return query select true, earlier.rule, earlier.id;
      return;
    end if;
    update risk_decision d set closed_at = at where d.id = earlier.id;
  end if;
  select * into policy from risk_policy order by version desc limit 1;
  select coalesce(sum(d.usd_minor), 0) into trusted_usd from risk_payee_day d
   where d.user_id = person and d.day = on_day and d.payee = payee_name and d.is_trusted;
  select count(*) into new_payees from risk_payee_day d
   where d.user_id = person and d.day = on_day and not d.is_trusted and d.payee <> payee_name;
  -- By the real clock, which dates changes of factors.
  select u.factor_change into new_factor from app_user u
   where u.id = person and u.factor_changed_at > now() - make_interval(hours => policy.new_factor_hours);
  decided := case
    when trusted and not new_device and new_factor is null and trusted_usd + usd <= policy.trusted_payee_usd_minor then 'trusted_payee'
    when profile.unproven_usd_minor + usd > policy.allowance_usd_minor then 'allowance_amount'
    when profile.unproven_payments + 1 > policy.allowance_payments then 'allowance_payments'
    when payee_name is not null and not trusted and new_payees >= policy.new_payees_per_day then 'new_payees'
    else 'allowance' end;
  passes := decided in ('trusted_payee', 'allowance');
  insert into risk_decision (id, movement, request_digest, user_id, decided_at, policy_version, kind, payee, usd_minor, rule, passed,
      inputs)
  values (decision, movement_id, digest, person, at, policy.version, what, payee_name, usd, decided, passes, jsonb_build_object(
    'trusted', trusted, 'new_device', new_device, 'new_factor', new_factor, 'trusted_usd', trusted_usd::text, 'new_payees', new_payees,
    'unproven_usd', profile.unproven_usd_minor::text, 'unproven_payments', profile.unproven_payments, 'proven_at', profile.proven_at));
  if decided = 'allowance' then
    update risk_profile set unproven_usd_minor = unproven_usd_minor + usd, unproven_payments = unproven_payments + 1
     where user_id = person;
  end if;
  if passes and payee_name is not null then
    insert into risk_payee_day as d (user_id, day, payee, is_trusted, usd_minor)
    values (person, on_day, payee_name, decided = 'trusted_payee', usd)
    on conflict (user_id, day, payee, is_trusted) do update set usd_minor = d.usd_minor + excluded.usd_minor;
  end if;
  return query select passes, decided, decision;
end
$$;

-- Returns whether a passed decision still counts: an allowance since the last proof, a trusted payee on its day, a
-- proof for 24 hours, like its confirmation.
create function risk_decision_counts(made risk_decision, profile risk_profile, at timestamptz) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select case made.rule
    when 'allowance' then profile.counted_since is null or profile.counted_since <= made.decided_at
    when 'trusted_payee' then (made.decided_at at time zone 'UTC')::date = (at at time zone 'UTC')::date
    else made.decided_at > at - interval '1 day' end
$$;

-- Records that the account holder has proven exactly this request, and returns the decision that it passes with. A
-- newer proof restarts the counts; the same proof shown again with a retry changes nothing.
create function record_risk_proof(
  decision uuid, movement_id uuid, digest bytea, person bigint, at timestamptz, what text, payee_name text, usd numeric,
  proof_at timestamptz
) returns uuid
language plpgsql set search_path = public, pg_temp as $$
declare
  passed_with uuid;
begin
  insert into risk_profile (user_id) values (person) on conflict (user_id) do nothing;
  perform from risk_profile p where p.user_id = person for no key update;
  update risk_profile p set proven_at = proof_at, counted_since = at, unproven_usd_minor = 0, unproven_payments = 0
   where p.user_id = person and (p.proven_at is null or p.proven_at < proof_at);
  update risk_decision d set requests = d.requests + 1
   where d.movement = movement_id and d.request_digest = digest and d.passed and d.taken_back_at is null and d.closed_at is null
  returning d.id into passed_with;
  if passed_with is not null then
    return passed_with;
  end if;
  insert into risk_decision (id, movement, request_digest, user_id, decided_at, policy_version, kind, payee, usd_minor, rule, passed,
      inputs)
  values (decision, movement_id, digest, person, at, (select max(version) from risk_policy), what, payee_name, usd, 'proven', true,
    jsonb_build_object('proven_at', proof_at));
  return decision;
end
$$;

-- Releases one failed request from its decision, and revokes the decision unless another request still runs with it.
-- Returns whether it was revoked.
create function take_back_risk(decision uuid, at timestamptz) returns boolean
language plpgsql set search_path = public, pg_temp as $$
declare
  remaining int;
begin
  -- The profile is locked first, as in decide_risk.
  perform from risk_profile p where p.user_id = (select d.user_id from risk_decision d where d.id = decision) for no key update;
  update risk_decision d set requests = d.requests - 1
   where d.id = decision and d.passed and d.taken_back_at is null and d.requests > 0
  returning d.requests into remaining;
  if remaining is distinct from 0 then
    return false;
  end if;
  perform uncount_risk(decision, at);
  return true;
end
$$;

-- Revokes all decisions under the key of a posted movement that has failed: the key is used up, so no request can pass
-- with them. Returns whether there were any.
create function take_back_movement_risk(movement_id uuid, at timestamptz) returns boolean
language plpgsql set search_path = public, pg_temp as $$
declare
  made uuid;
  has_taken boolean := false;
begin
  perform from risk_profile p where p.user_id = (select d.user_id from risk_decision d where d.movement = movement_id limit 1)
    for no key update;
  for made in
    select d.id from risk_decision d
     where d.movement = movement_id and d.passed and d.taken_back_at is null and d.closed_at is null
  loop
    perform uncount_risk(made, at);
    has_taken := true;
  end loop;
  return has_taken;
end
$$;

-- Revokes a decision and subtracts its count. The caller has locked the person's profile.
create function uncount_risk(decision uuid, at timestamptz) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  taken risk_decision;
  left_of_day numeric;
begin
  update risk_decision d set requests = 0, taken_back_at = at where d.id = decision returning d.* into taken;
  if taken.rule = 'allowance' then
    update risk_profile p set unproven_usd_minor = greatest(p.unproven_usd_minor - taken.usd_minor, 0),
        unproven_payments = greatest(p.unproven_payments - 1, 0)
     where p.user_id = taken.user_id and (p.counted_since is null or p.counted_since <= taken.decided_at);
  end if;
  if taken.rule in ('allowance', 'trusted_payee') then
    update risk_payee_day d set usd_minor = d.usd_minor - taken.usd_minor
     where d.user_id = taken.user_id and d.day = (taken.decided_at at time zone 'UTC')::date and d.payee = taken.payee
       and d.is_trusted = (taken.rule = 'trusted_payee')
    returning d.usd_minor into left_of_day;
  end if;
  if left_of_day = 0 then
    delete from risk_payee_day d where d.user_id = taken.user_id and d.day = (taken.decided_at at time zone 'UTC')::date
      and d.payee = taken.payee and d.is_trusted = (taken.rule = 'trusted_payee');
  end if;
end
$$;

-- Street mode.

-- Decides a request in street mode: 'off', 'home', 'passed' within the limit, which counts it, or 'held'. Retries and
-- other requests under the same key are treated as by decide_risk. Locks the person. Commits without waiting for the
-- disk: WAL is written in order, so a payment that survives a crash does so with its count.
create function pass_street(
  movement_id uuid, digest bytea, person bigint, at timestamptz, usd numeric, from_network text, is_night boolean
) returns text
language plpgsql set search_path = public, pg_temp as $$
declare
  setting street_setting;
  counted_since timestamptz;
  counted numeric;
begin
  select * into setting from street_setting s where s.user_id = person and s.valid_from <= at order by s.valid_from desc limit 1;
  if setting.is_on is not true then
    return 'off';
  end if;
  if not is_night and exists (select from street_place p
      where p.user_id = person and p.network = from_network and p.trusted_from <= at) then
    return 'home';
  end if;
  perform set_config('synchronous_commit', 'off', true);
  perform from app_user where id = person for no key update;
  counted_since := at - make_interval(hours => (select counted_hours from street_policy order by version desc limit 1));
  if exists (select from street_passed p
      where p.movement = movement_id and p.request_digest = digest and p.passed_at > counted_since) then
    return 'passed';
  end if;
  select coalesce(sum(p.usd_minor), 0) into counted from street_passed p
   where p.user_id = person and p.passed_at > counted_since;
  if counted + usd > setting.limit_usd_minor then
    return 'held';
  end if;
  delete from street_passed p where p.movement = movement_id and p.request_digest = digest;
  insert into street_passed (movement, request_digest, user_id, passed_at, usd_minor) values (movement_id, digest, person, at, usd);
  return 'passed';
end
$$;

-- Guards of sends (movement_guards), called by move_money.

-- Ends the rooms of people about whom monitoring has something new to look at. Locks rows in order of their users.
create function disturb_send_guards(persons bigint[]) returns void
language sql set search_path = pg_catalog, public, pg_temp as $$
  with disturbed as materialized (
    select user_id from send_guard where user_id = any (persons) order by user_id for no key update
  )
  update send_guard g set generation = g.generation + 1, free_until = null, free_payment_usd_minor = null, free_version = null
    from disturbed where g.user_id = disturbed.user_id
$$;

-- Decides the sends at `places`, which no room decides, in order of their senders. Returns the decision of each place
-- that passed, else null.
create function decide_guards(guards movement_guards, places int[], movement_id uuid[], movement_at timestamptz[])
  returns uuid[]
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  movement constant int[] := guards.movement;
  mode constant text[] := guards.mode;
  person constant bigint[] := guards.person;
  payee constant text[] := guards.payee;
  usd constant numeric[] := guards.usd_minor;
  decision constant uuid[] := guards.decision;
  digest constant bytea[] := guards.digest;
  made uuid[] := array_fill(null::uuid, array[cardinality(movement)]);
  g int;
begin
  for g in select place from unnest(places) as place order by person[place], place loop
    if mode[g] = 'prove' then
      made[g] := record_risk_proof(decision[g], movement_id[movement[g]], digest[g], person[g], movement_at[movement[g]], 'transfer',
        payee[g], usd[g], guards.proof_at[g]);
    else
      made[g] := (
        select case when d.passed then d.passed_with end
          from decide_risk(decision[g], movement_id[movement[g]], digest[g], person[g], movement_at[movement[g]], 'transfer', payee[g],
            guards.is_trusted[g], guards.is_new_device[g], usd[g]) as d);
    end if;
  end loop;
  return made;
end
$$;

-- After posting: subtracts the counts of sends that were not posted, and stores the rooms that posted ones leave.
create function settle_guards(
  guards movement_guards, by_room int[], made uuid[], statuses text[], movement_at timestamptz[]
) returns void
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
    -- A busy send is sent again and decided anew.
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

revoke all on function open_send_guard, forget_send_room from public;
