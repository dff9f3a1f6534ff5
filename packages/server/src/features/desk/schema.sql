-- Operators, their sign-in, their queues and decisions, and the log of everything they do.

create table desk_operator (
  id uuid primary key,
  name text not null check (name = btrim(name) and char_length(name) between 1 and 60),
  roles text[] not null check (cardinality(roles) > 0 and roles <@ array['reviewer', 'payments', 'lead', 'auditor']),
  created_at timestamptz not null,
  disabled_at timestamptz
);
create unique index desk_operator_name on desk_operator (lower(name));

-- Single-use links by which operators add a passkey. Only their hashes are stored.
create table desk_enrolment (
  hash bytea primary key,
  operator_id uuid not null references desk_operator,
  -- Whether the new passkey replaces all others, whose sessions end.
  replaces boolean not null,
  expires_at timestamptz not null
);
create index desk_enrolment_operator on desk_enrolment (operator_id);

create table desk_passkey (
  id uuid primary key,
  operator_id uuid not null references desk_operator,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null check (counter >= 0),
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index desk_passkey_operator on desk_passkey (operator_id);

-- WebAuthn challenges that await an answer.
create table desk_ceremony (
  id uuid primary key,
  challenge text not null,
  -- Link by which a passkey is added; null for a sign-in.
  enrolment_hash bytea references desk_enrolment on delete cascade,
  expires_at timestamptz not null
);
create index desk_ceremony_enrolment on desk_ceremony (enrolment_hash);
create index desk_ceremony_expiry on desk_ceremony (expires_at);

create table desk_session (
  -- SHA-256 of the session's secret.
  hash bytea primary key,
  operator_id uuid not null references desk_operator,
  created_at timestamptz not null,
  used_at timestamptz not null
);
create index desk_session_operator on desk_session (operator_id);

-- Queues, and the value above which two operators must decide.
create table desk_policy (
  queue text primary key,
  -- US dollar cents; null: one operator always suffices.
  two_people_above_usd_minor numeric(38, 0) check (two_people_above_usd_minor >= 0)
);
insert into desk_policy (queue, two_people_above_usd_minor) values
  ('holds', 100000),
  ('verifications', null),
  ('exceptions', 100000),
  ('payouts', 100000),
  ('cases', 0),
  ('objections', 0),
  ('disputes', 100000);

-- State of queue entries that operators acted on. Every action locks the row.
create table desk_item (
  queue text not null references desk_policy,
  subject uuid not null,
  -- Incremented when a decision could not be carried out, so that the entry is decided again.
  round integer not null default 1 check (round > 0),
  claimed_by uuid references desk_operator,
  -- Whether the next decision requires the role `lead`.
  for_lead boolean not null default false,
  -- Decision of this round.
  verdict text check (verdict ~ '^[a-z_]{1,40}$'),
  carrying_out_since timestamptz,
  carried_out_at timestamptz,
  primary key (queue, subject),
  constraint desk_item_order check ((verdict is not null or carrying_out_since is null)
    and (carrying_out_since is not null or carried_out_at is null))
);
create index desk_item_claimed_by on desk_item (claimed_by);
call seal_table('desk_item', '{queue, subject}', '{round, verdict}');

-- Decisions by operators, append-only.
create table desk_decision (
  id uuid primary key,
  queue text not null,
  subject uuid not null,
  round integer not null,
  seat text not null check (seat in ('first', 'second', 'lead')),
  operator_id uuid not null references desk_operator,
  verdict text not null check (verdict ~ '^[a-z_]{1,40}$'),
  reason text not null check (char_length(btrim(reason)) between 10 and 500),
  decided_at timestamptz not null,
  constraint desk_decision_different_people unique (queue, subject, round, operator_id),
  constraint desk_decision_one_each unique (queue, subject, round, seat),
  foreign key (queue, subject) references desk_item
);
create index desk_decision_operator on desk_decision (operator_id);

create function refuse_change_of_desk() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end
$$;
create trigger history_is_kept before delete or update or truncate on desk_decision
  for each statement execute function refuse_change_of_desk();
create trigger objections_are_decided_by_others before insert on desk_decision
  for each row when (new.queue = 'objections') execute function require_uninvolved_operator();
create trigger dispute_objections_go_to_others before insert on desk_decision
  for each row when (new.queue = 'disputes') execute function refuse_involved_operator();

-- Refuses decisions that concern an account of the operator.
create function refuse_own_account() returns trigger language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
begin
  if desk_is_own(new.queue, new.subject, new.operator_id) then
    raise exception 'operator % decides about an account of their own', new.operator_id using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger nobody_decides_about_themselves before insert on desk_decision
  for each row execute function refuse_own_account();
call seal_table('desk_decision', '{id}', '{queue, subject, round, seat, operator_id, verdict, reason, decided_at}');

-- Hash-chained log of everything that operators do and read, append-only.
create table desk_log (
  number bigint primary key,
  at timestamptz not null,
  -- Null for commands on the server, run by `actor`.
  operator_id uuid references desk_operator,
  actor text not null,
  act text not null check (act ~ '^[a-z_]{1,40}$'),
  queue text,
  -- Id of a queue entry or an operator.
  subject text,
  reason text,
  before text,
  after text,
  -- Set for a decision, whose content stays hidden until another operator has decided too.
  decision_id uuid references desk_decision,
  hash bytea not null
);
create index desk_log_subject on desk_log (queue, subject, number);
create index desk_log_operator on desk_log (operator_id, number);
create index desk_log_decision on desk_log (decision_id);

-- Returns the hash of a line of the log, which covers the hash of the line before it.
create function desk_hash(line desk_log, hash_before bytea) returns bytea
language sql stable
set search_path = pg_catalog, public, pg_temp
as $$
  select sha256(coalesce(hash_before, ''::bytea) || convert_to(jsonb_build_array(
    line.number, extract(epoch from line.at)::text, line.operator_id, line.actor, line.act, line.queue, line.subject, line.reason,
    line.before, line.after, line.decision_id)::text, 'UTF8'))
$$;

-- Assigns number and hash to a new line, one line at a time.
create function chain_desk_line() returns trigger
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
declare
  last desk_log;
begin
  perform pg_advisory_xact_lock(hashtextextended('desk_log', 0));
  select * into last from desk_log order by number desc limit 1;
  new.number := coalesce(last.number, 0) + 1;
  new.hash := desk_hash(new, last.hash);
  return new;
end
$$;
create trigger line_is_chained before insert on desk_log
  for each row execute function chain_desk_line();
create trigger history_is_kept before delete or update or truncate on desk_log
  for each statement execute function refuse_change_of_desk();

-- Accounts that operators have as users, about which they may not decide.
create table desk_own_account (
  operator_id uuid not null references desk_operator,
  user_id bigint not null references app_user,
  linked_at timestamptz not null,
  unlinked_at timestamptz,
  primary key (operator_id, user_id, linked_at),
  check (unlinked_at >= linked_at)
);
create unique index desk_own_account_once on desk_own_account (operator_id, user_id) where unlinked_at is null;
create index desk_own_account_user on desk_own_account (user_id);

-- Allows a link to end once, and its deletion five years after its end or the user's deletion.
create function keep_own_account() returns trigger language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
begin
  if tg_op = 'UPDATE' then
    if old.unlinked_at is null and new.unlinked_at is not null then
      return new;
    end if;
  elsif old.unlinked_at < now() - interval '5 years'
     or exists (select from app_user u where u.id = old.user_id and u.deleted_at < now() - interval '5 years') then
    return old;
  end if;
  raise exception 'a link of an operator to their account is kept' using errcode = 'restrict_violation';
end
$$;
create trigger link_is_kept before delete or update on desk_own_account
  for each row execute function keep_own_account();

-- Returns the owner, sender and recipient of a transaction.
create function transaction_parties(person bigint, transaction_id uuid) returns setof bigint language sql stable as $$
  select party from transaction t, unnest(array[t.user_id, t.sender_id, t.recipient_id]) as party
   where t.user_id = person and t.id = transaction_id
$$;

-- Returns the users whom a queue entry concerns. Raises case_not_found for an unknown queue.
create function desk_parties(of_queue text, entry uuid) returns setof bigint language plpgsql stable as $$
begin
  case of_queue
    when 'verifications' then
      -- Includes other holders of its numbers: a verdict may reassign a number.
      return query
        select s.user_id from kyc_submission s where s.id = entry
        union all
        select s.user_id from kyc_number n join kyc_number o on o.fingerprint = n.fingerprint
          join kyc_submission s on s.id = o.submission_id where n.submission_id = entry;
    when 'holds' then
      return query
        select party from transfer t, unnest(array[t.sender_id, t.recipient_id]) as party where t.id = entry;
    when 'payouts' then
      return query select o.user_id from payout o where o.id = entry;
    when 'exceptions' then
      return query
        select party from reconciliation_exception e join payment p on p.id = e.reference,
            unnest(array[p.user_id, p.recipient_id]) as party where e.id = entry
        union all
        select o.user_id from reconciliation_exception e join payout o on o.id = e.reference where e.id = entry
        union all
        select transaction_parties(d.user_id, d.transaction_id)
          from reconciliation_exception e join dispute d on d.id = e.reference where e.id = entry;
    when 'cases' then
      return query select case_parties(r.case_id) from compliance_review r where r.id = entry;
    when 'objections' then
      return query
        select o.user_id from compliance_objection o where o.id = entry
        union all
        select case_parties(o.case_id) from compliance_objection o where o.id = entry;
    when 'disputes' then
      return query
        select transaction_parties(d.user_id, d.transaction_id)
          from dispute_review r join dispute d on d.id = r.dispute_id where r.id = entry;
  end case;
end
$$;

-- Returns whether a queue entry concerns an account of the operator.
create function desk_is_own(of_queue text, entry uuid, operator uuid) returns boolean language sql stable as $$
  select exists (
    select from desk_own_account a where a.operator_id = operator and a.unlinked_at is null
       and a.user_id in (select desk_parties(of_queue, entry)))
$$;
