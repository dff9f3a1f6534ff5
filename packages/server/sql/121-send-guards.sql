-- Owner: risk. Wallet sends are decided in the statement that moves their money: by the room of their sender where it is known that
-- no rule holds or refuses them, by decide_risk otherwise.

-- Lets ordinary sends pass without reading anything else about their sender.
create table send_guard (
  user_id bigint primary key references app_user (id) on delete cascade,
  -- Counts the changes that may change a rule's answer about this sender. A room worked out from older facts is not kept.
  generation bigint not null default 0,
  -- Until then no rule holds a send of at most this value (US cents) to a trusted payee. Null: no room.
  free_until timestamptz,
  free_payment_usd_minor numeric(38, 0) check (free_payment_usd_minor >= 0),
  -- Version of the policies that the room was computed with (limit_policy_version).
  free_version bigint,
  constraint send_guard_room check ((free_until is null) = (free_payment_usd_minor is null)
    and (free_until is null) = (free_version is null))
) with (fillfactor = 50);
insert into send_guard (user_id) select id from app_user;

-- Everybody has a guard from the beginning, so that facts are never older than it.
create function open_send_guard() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into send_guard (user_id) values (new.id);
  return null;
end
$$;
create trigger open_send_guard after insert on app_user for each row execute function open_send_guard();

-- Updated by every send by room: rows stay on their page, and indexes as they are.
alter table risk_payee_day set (fillfactor = 50);

-- True for the sender's row of a send that passed by room: such a send has no row in risk_decision.
alter table transaction add column passed_by_room boolean;
drop trigger facts_are_kept on transaction;
create trigger facts_are_kept before update of user_id, id, posting_id, kind, created_at, sender_id, recipient_id, wallet_id,
  from_wallet_id, to_wallet_id, description, source_currency, target_currency, fee_currency, payment_source, payment_id, passed_by_room
  on transaction for each statement execute function refuse_change_of_transaction();

-- Ends the room of the sender whose factor or street mode changes.
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
create trigger forget_send_room after update of factor_changed_at on app_user
  for each row when (old.factor_changed_at is distinct from new.factor_changed_at) execute function forget_send_room();
create trigger forget_send_room after insert or update or delete on street_setting
  for each row execute function forget_send_room();

-- Rooms depend on these numbers, too.
create trigger note_limit_policy after insert or update or delete or truncate on risk_policy
  for each statement execute function note_limit_policy();
create trigger note_limit_policy after insert or update or delete or truncate on monitoring_policy
  for each statement execute function note_limit_policy();
create trigger note_limit_policy after insert or update or delete or truncate on reporting_threshold
  for each statement execute function note_limit_policy();

-- Ends the room of people about whom monitoring has something new to look at. Rows are locked in the order of their users.
create function disturb_send_guards(persons bigint[]) returns void
language sql set search_path = pg_catalog, public, pg_temp as $$
  with disturbed as materialized (
    select user_id from send_guard where user_id = any (persons) order by user_id for no key update
  )
  update send_guard g set generation = g.generation + 1, free_until = null, free_payment_usd_minor = null, free_version = null
    from disturbed where g.user_id = disturbed.user_id
$$;

-- How the sends of a batch are decided; one element per send, several arrays of one length.
create type movement_guards as (
  movement int[],
  -- 'room': by the sender's room; 'decide': by decide_risk; 'prove': by the sender's confirmation.
  mode text[],
  person bigint[],
  payee text[],
  usd_minor numeric[],
  -- Whether monitoring finds nothing new in it about its recipient: a small payment by somebody who has long paid them.
  is_quiet boolean[],
  -- Mode 'room': version of the policies that the sender's facts were judged by.
  version bigint[],
  -- Modes 'decide' and 'prove': id of a new decision, and the digest of the request that it covers.
  decision uuid[],
  digest bytea[],
  -- Mode 'decide'.
  is_trusted boolean[],
  is_new_device boolean[],
  -- Mode 'prove'.
  proof_at timestamptz[],
  -- Room that the facts of this send leave for the next; null: none.
  room_generation bigint[],
  room_until timestamptz[],
  room_payment_usd_minor numeric[],
  room_version bigint[]
);

-- Decides one by one, in the order of the senders, what no room decides. Gives a decision for each place that passed, else null.
create function decide_guards(guards movement_guards, places int[], movement_id uuid[], movement_at timestamptz[]) returns uuid[]
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

-- After posting: takes back what refused sends were counted for, and keeps the room that posted ones leave.
create function settle_guards(guards movement_guards, by_room int[], made uuid[], statuses text[], movement_at timestamptz[]) returns void
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
     where s.user_id = person[g] and s.generation = guards.room_generation[g];
  end loop;
end
$$;

-- As before, but the transaction in which it runs decides whether it waits for the disk.
CREATE OR REPLACE FUNCTION public.decide_risk(decision uuid, movement_id uuid, digest bytea, person bigint, at timestamp with time zone, what text, payee_name text, trusted boolean, new_device boolean, usd numeric)
 RETURNS TABLE(passed boolean, rule text, passed_with uuid)
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $$
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

-- As before, and what is pending is new to monitoring.
CREATE OR REPLACE FUNCTION public.create_pending_transactions(reference uuid, posting uuid, at timestamp with time zone, rows public.transaction_rows)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $$
  insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id, from_wallet_id,
      to_wallet_id, description, source_amount, source_currency, target_amount, target_currency,
      stablecoin_amount, rate_numerator, rate_denominator, fee_amount, fee_currency, payment_source,
      payment_id, quote_id)
    select r.user_id, reference, posting, r.kind, 'PENDING', at, r.sender_id, r.recipient_id, r.wallet_id, r.from_wallet_id,
      r.to_wallet_id, r.description, r.source_amount, r.source_currency, r.target_amount, r.target_currency,
      r.stablecoin_amount, r.rate_numerator, r.rate_denominator, r.fee_amount, r.fee_currency, r.payment_source,
      r.payment_id, r.quote_id
      from unnest((rows).user_id, (rows).kind, (rows).sender_id, (rows).recipient_id, (rows).wallet_id,
        (rows).from_wallet_id, (rows).to_wallet_id, (rows).description, (rows).source_amount, (rows).source_currency,
        (rows).target_amount, (rows).target_currency, (rows).stablecoin_amount, (rows).rate_numerator,
        (rows).rate_denominator, (rows).fee_amount, (rows).fee_currency, (rows).payment_source, (rows).payment_id,
        (rows).quote_id) as r (user_id, kind, sender_id, recipient_id, wallet_id, from_wallet_id, to_wallet_id, description,
        source_amount, source_currency, target_amount, target_currency, stablecoin_amount, rate_numerator,
        rate_denominator, fee_amount, fee_currency, payment_source, payment_id, quote_id);
  select disturb_send_guards((rows).user_id) where not ('EXCHANGE' = any ((rows).kind));
$$;

revoke all on function open_send_guard() from public;
revoke all on function forget_send_room() from public;
