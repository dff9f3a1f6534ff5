-- Owner: risk. What may leave an account, or be pulled into it, without a fresh proof of its owner (PSD2 RTS, article 16).

-- The numbers of the rules. A new version is a new row, the newest counts, and every decision names its version. Amounts are US
-- dollar cents.
create table risk_policy (
  version int primary key check (version > 0),
  -- Everything since the last proof, together.
  allowance_usd_minor numeric(38, 0) not null check (allowance_usd_minor >= 0),
  allowance_payments int not null check (allowance_payments >= 0),
  -- Never paid before, and paid without a proof, on one day (UTC).
  new_payees_per_day int not null check (new_payees_per_day >= 0),
  -- A payee is trusted from so long after the first payment that arrived, for so much a day.
  trusted_after_hours int not null check (trusted_after_hours > 0),
  trusted_payee_usd_minor numeric(38, 0) not null check (trusted_payee_usd_minor >= 0),
  -- For so long after the first sign-in on another device, nobody is trusted from there.
  new_device_hours int not null check (new_device_hours >= 0)
);
insert into risk_policy values (1, 10000, 5, 3, 24, 100000, 24);

-- What has passed without a proof since the last one.
create table risk_profile (
  user_id bigint primary key references app_user (id),
  -- Of the latest proof, by the clock that dates proofs; and from when on what passes counts, by the product's.
  proven_at timestamptz,
  counted_since timestamptz,
  unproven_usd_minor numeric(38, 0) not null default 0 check (unproven_usd_minor >= 0),
  unproven_payments int not null default 0 check (unproven_payments >= 0)
);

-- What has passed without a proof to one payee on one day. A payee is a person or a bank account.
create table risk_payee_day (
  user_id bigint not null references app_user (id),
  day date not null,
  payee text not null,
  is_trusted boolean not null,
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  primary key (user_id, day, payee, is_trusted)
);
create index risk_payee_day_old on risk_payee_day using brin (day) with (pages_per_range = 16, autosummarize = on);

-- Every decision with its rule and what the rule looked at. `movement` is made of the key of the request: asked again, it is
-- the same movement, and counts once.
create table risk_decision (
  id uuid primary key,
  movement uuid not null,
  user_id bigint not null references app_user (id),
  decided_at timestamptz not null,
  policy_version int not null references risk_policy (version),
  kind text not null check (kind in ('transfer', 'payout', 'pull')),
  payee text,
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  rule text not null check (rule in
    ('trusted_payee', 'allowance', 'proven', 'allowance_amount', 'allowance_payments', 'new_payees')),
  passed boolean not null,
  inputs jsonb not null,
  -- More than one request was let pass with it, so none of them may take it back.
  is_shared boolean not null default false,
  taken_back_at timestamptz
);
create unique index risk_decision_passed on risk_decision (movement) where passed and taken_back_at is null;
create index risk_decision_of_user on risk_decision (user_id, decided_at);
create index risk_decision_old on risk_decision using brin (decided_at) with (pages_per_range = 16, autosummarize = on);

-- Decides whether a movement passes without a proof, and counts it if it does. One movement of a person at a time, in whatever
-- process. To be called in a transaction of its own, which waits for no disk: WAL is written in order, so
-- a payment that outlives a crash does so with what it counted.
create function decide_risk(
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
  decided := case
    when trusted and not new_device and trusted_usd + usd <= policy.trusted_payee_usd_minor then 'trusted_payee'
    when profile.unproven_usd_minor + usd > policy.allowance_usd_minor then 'allowance_amount'
    when profile.unproven_payments + 1 > policy.allowance_payments then 'allowance_payments'
    when payee_name is not null and not trusted and new_payees >= policy.new_payees_per_day then 'new_payees'
    else 'allowance' end;
  passes := decided in ('trusted_payee', 'allowance');
  insert into risk_decision (id, movement, user_id, decided_at, policy_version, kind, payee, usd_minor, rule, passed, inputs)
  values (decision, movement_id, person, at, policy.version, what, payee_name, usd, decided, passes, jsonb_build_object(
    'trusted', trusted, 'new_device', new_device, 'trusted_usd', trusted_usd::text, 'new_payees', new_payees, 'unproven_usd', profile.unproven_usd_minor::text,
    'unproven_payments', profile.unproven_payments, 'proven_at', profile.proven_at));
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

-- Takes back what a movement counted, since nothing came of it; `even_shared`: it was made and has come to nothing since.
create function take_back_risk(movement_id uuid, at timestamptz, even_shared boolean) returns boolean
language plpgsql set search_path = public, pg_temp as $$
declare
  taken risk_decision;
  left_of_day numeric;
begin
  -- The profile is locked first, as in decide_risk.
  perform from risk_profile p where p.user_id = (select d.user_id from risk_decision d where d.movement = movement_id limit 1)
    for no key update;
  update risk_decision d set taken_back_at = at
   where d.movement = movement_id and d.passed and d.taken_back_at is null and d.rule <> 'proven' and (even_shared or not d.is_shared)
  returning d.* into taken;
  if taken.id is null then
    return false;
  end if;
  if taken.rule = 'allowance' then
    update risk_profile p set unproven_usd_minor = greatest(p.unproven_usd_minor - taken.usd_minor, 0),
        unproven_payments = greatest(p.unproven_payments - 1, 0)
     where p.user_id = taken.user_id and (p.counted_since is null or p.counted_since <= taken.decided_at);
  end if;
  update risk_payee_day d set usd_minor = d.usd_minor - taken.usd_minor
   where d.user_id = taken.user_id and d.day = (taken.decided_at at time zone 'UTC')::date and d.payee = taken.payee
     and d.is_trusted = (taken.rule = 'trusted_payee')
  returning d.usd_minor into left_of_day;
  if left_of_day = 0 then
    delete from risk_payee_day d where d.user_id = taken.user_id and d.day = (taken.decided_at at time zone 'UTC')::date
      and d.payee = taken.payee and d.is_trusted = (taken.rule = 'trusted_payee');
  end if;
  return true;
end
$$;

-- An account that its owner has frozen: nothing leaves it and nothing is pulled into it until they end that.
alter table app_user add column frozen_at timestamptz;
alter table mailed_link drop constraint mailed_link_purpose_check;
alter table mailed_link add constraint mailed_link_purpose_check check (purpose in
  ('log_in', 'verify_email', 'change_email', 'reset_password', 'unrecognized_sign_in', 'freeze_account'));

-- Money cannot leave while a loss of its owner is open: each movement asks.
create index reconciliation_exception_open_loss on reconciliation_exception (reference) where kind = 'loss' and closed_at is null;

-- How long money that came in this way cannot go to a bank; to people it may go at once. Of the lines that fit somebody, the
-- longest counts. Null: every country, or every age of the account.
create table maturity_policy (
  method text not null check (method in ('card', 'bank')),
  country text,
  account_younger_than_days int check (account_younger_than_days > 0),
  hours int not null check (hours >= 0),
  unique nulls not distinct (method, country, account_younger_than_days)
);
insert into maturity_policy (method, hours) values ('card', 168);

-- How often, beside how much: no card, bank account or payee sees more of one person in a day.
insert into limit_policy (verification_state, direction, method, period, max_movements) values
  ('verified', 'in', 'card', 'day', 20),
  ('verified', 'in', 'bank', 'day', 20),
  ('verified', 'out', 'payout', 'day', 20),
  ('verified', 'out', 'transfer', 'day', 200);
