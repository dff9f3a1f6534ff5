-- Owner: risk. A decision and a street-mode pass belong to the request they were made for, not to its key alone.

alter table risk_decision
  -- SHA-256 over kind, payee, amount, currency and source. Null for decisions of earlier versions, which no request finds.
  add column request_digest bytea check (length(request_digest) = 32),
  -- Requests that passed with this decision and have not failed.
  add column requests int not null default 1 check (requests >= 0),
  -- When it stopped covering further requests, because it no longer counts.
  add column closed_at timestamptz;
update risk_decision set requests = 2 where is_shared;
drop index risk_decision_passed;
alter table risk_decision drop column is_shared;
create unique index risk_decision_open on risk_decision (movement, request_digest)
  where passed and taken_back_at is null and closed_at is null;

-- Passes of earlier versions get a digest that no request has.
alter table street_passed add column request_digest bytea;
update street_passed set request_digest = '';
alter table street_passed
  alter column request_digest set not null,
  drop constraint street_passed_pkey,
  add primary key (movement, request_digest);

drop function decide_risk(uuid, uuid, bigint, timestamptz, text, text, boolean, boolean, numeric);
drop function take_back_risk(uuid, timestamptz, boolean);
drop function pass_street(uuid, bigint, timestamptz, numeric, text, boolean);

-- Returns whether a passed decision still counts in the current sums: an allowance since the latest proof, a trusted payee's
-- sum on its day (UTC), a proof for a day, like its confirmation.
create function risk_decision_counts(made risk_decision, profile risk_profile, at timestamptz) returns boolean
language sql stable set search_path = public, pg_temp as $$
  select case made.rule
    when 'allowance' then profile.counted_since is null or profile.counted_since <= made.decided_at
    when 'trusted_payee' then (made.decided_at at time zone 'UTC')::date = (at at time zone 'UTC')::date
    else made.decided_at > at - interval '1 day' end
$$;

-- Decides whether a request passes without a proof, and counts it if it does. `digest` names exactly what is asked for: a retry of
-- the same request passes with its first decision and counts once; another request under the same key is decided by itself.
-- Locks the person's profile, so all processes decide one by one. Commits without waiting for the disk: WAL is written in
-- order, so a payment that survives a crash does so with what it counted.
create function decide_risk(
  decision uuid, movement_id uuid, digest bytea, person bigint, at timestamptz, what text, payee_name text, trusted boolean,
  new_device boolean, usd numeric
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
  perform set_config('synchronous_commit', 'off', true);
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
  -- By the real clock, which dates changes to the account's protection.
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

-- Records that the owner has proven exactly this request, and returns the decision it passes with. A newer proof starts the
-- counts again; one shown again with a retry changes nothing.
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

-- Revokes a decision and subtracts what it counted. The caller has locked the person's profile.
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

-- Releases one failed request from its decision, which is revoked unless another request still runs with it.
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

-- Revokes all decisions under the key of a posted movement that has failed: the key is used up, so no request can pass with it.
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

-- Decides about a request in street mode: 'off', 'home', 'passed' within the limit, which counts it, or 'held'. A retry of the same
-- request counts once; another one under its key is decided by itself. One request of a person at a time, in any process,
-- without waiting for the disk, as in decide_risk.
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
