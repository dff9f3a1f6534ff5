-- Owner: risk. After a change to how the owner of an account proves that it is them, less passes without a proof for a while.

-- The latest such change, by the clock that dates proofs.
alter table app_user
  add column factor_change text,
  add column factor_changed_at timestamptz,
  add constraint app_user_factor_change check ((factor_change is null) = (factor_changed_at is null));

-- For so long after it nobody is trusted: what goes to whoever was paid before counts like everything else. Versions before had no
-- such rule.
alter table risk_policy add column new_factor_hours int not null default 0 check (new_factor_hours >= 0);
alter table risk_policy alter column new_factor_hours drop default;
insert into risk_policy
  select version + 1, allowance_usd_minor, allowance_payments, new_payees_per_day, trusted_after_hours, trusted_payee_usd_minor,
      new_device_hours, 24
    from risk_policy order by version desc limit 1;

-- As before, and nobody is trusted while a change of that kind is new.
--
-- Decides whether a movement passes without a proof, and counts it if it does. One movement of a person at a time, in whatever
-- process. To be called in a transaction of its own, which waits for no disk: WAL is written in order, so
-- a payment that outlives a crash does so with what it counted.
create or replace function decide_risk(
  decision uuid, movement_id uuid, person bigint, at timestamptz, what text, payee_name text, trusted boolean,
  new_device boolean, usd numeric
) returns table (passed boolean, rule text, is_first boolean)
language plpgsql set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  on_day constant date := (at at time zone 'UTC')::date;
  policy risk_policy;
  profile risk_profile;
  earlier_rule text;
  trusted_usd numeric;
  new_payees bigint;
  new_factor text;
  decided text;
  passes boolean;
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into risk_profile (user_id) values (person) on conflict (user_id) do nothing;
  select * into profile from risk_profile where user_id = person for no key update;
  update risk_decision d set is_shared = true
   where d.movement = movement_id and d.passed and d.taken_back_at is null returning d.rule into earlier_rule;
  if earlier_rule is not null then
    return query select true, earlier_rule, false;
    return;
  end if;
  select * into policy from risk_policy order by version desc limit 1;
  select coalesce(sum(d.usd_minor), 0) into trusted_usd from risk_payee_day d
   where d.user_id = person and d.day = on_day and d.payee = payee_name and d.is_trusted;
  select count(*) into new_payees from risk_payee_day d
   where d.user_id = person and d.day = on_day and not d.is_trusted and d.payee <> payee_name;
  -- By the real clock, which dates what changes in the account's protection.
  select u.factor_change into new_factor from app_user u
   where u.id = person and u.factor_changed_at > now() - make_interval(hours => policy.new_factor_hours);
  decided := case
    when trusted and not new_device and new_factor is null and trusted_usd + usd <= policy.trusted_payee_usd_minor then 'trusted_payee'
    when profile.unproven_usd_minor + usd > policy.allowance_usd_minor then 'allowance_amount'
    when profile.unproven_payments + 1 > policy.allowance_payments then 'allowance_payments'
    when payee_name is not null and not trusted and new_payees >= policy.new_payees_per_day then 'new_payees'
    else 'allowance' end;
  passes := decided in ('trusted_payee', 'allowance');
  insert into risk_decision (id, movement, user_id, decided_at, policy_version, kind, payee, usd_minor, rule, passed, inputs)
  values (decision, movement_id, person, at, policy.version, what, payee_name, usd, decided, passes, jsonb_build_object(
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
  return query select passes, decided, true;
end
$$;
