-- Owner: desk. Operators, what they decide, and the log of everything they do and read. Nothing here belongs to a customer.

create table desk_operator (
  id uuid primary key,
  name text not null check (name = btrim(name) and char_length(name) between 1 and 60),
  roles text[] not null check (
    cardinality(roles) > 0 and roles <@ array['reviewer', 'payments', 'lead', 'auditor']),
  created_at timestamptz not null,
  disabled_at timestamptz
);
create unique index desk_operator_name on desk_operator (lower(name));

-- A link by which an operator adds a passkey, once. Only its hash is kept.
create table desk_enrolment (
  hash bytea primary key,
  operator_id uuid not null references desk_operator (id),
  -- The new passkey takes the place of all others, whose sessions end.
  replaces boolean not null,
  expires_at timestamptz not null
);
create index desk_enrolment_operator on desk_enrolment (operator_id);

create table desk_passkey (
  id uuid primary key,
  operator_id uuid not null references desk_operator (id),
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null check (counter >= 0),
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index desk_passkey_operator on desk_passkey (operator_id);

create table desk_ceremony (
  id uuid primary key,
  challenge text not null,
  -- Of adding a passkey: by which link. Null of signing in.
  enrolment_hash bytea references desk_enrolment (hash) on delete cascade,
  expires_at timestamptz not null
);
create index desk_ceremony_enrolment on desk_ceremony (enrolment_hash);
create index desk_ceremony_expiry on desk_ceremony (expires_at);

create table desk_session (
  hash bytea primary key,
  operator_id uuid not null references desk_operator (id),
  created_at timestamptz not null,
  used_at timestamptz not null
);
create index desk_session_operator on desk_session (operator_id);

-- Above which value two different people decide, in US dollar cents; null: one is always enough.
create table desk_policy (
  queue text primary key,
  two_people_above_usd_minor numeric(38, 0) check (two_people_above_usd_minor >= 0)
);
insert into desk_policy values ('holds', 100000), ('verifications', null), ('exceptions', 100000), ('payouts', 100000);

-- How one entry of a queue stands with the operators. Whoever acts on it locks it.
create table desk_item (
  queue text not null references desk_policy (queue),
  subject uuid not null,
  -- A decision that could not be carried out ends its round; the next begins anew.
  round integer not null default 1 check (round > 0),
  claimed_by uuid references desk_operator (id),
  -- The next decision is for somebody with the role `lead`.
  for_lead boolean not null default false,
  -- What was decided in this round, and when that was begun and done.
  verdict text check (verdict ~ '^[a-z_]{1,40}$'),
  carrying_out_since timestamptz,
  carried_out_at timestamptz,
  primary key (queue, subject),
  constraint desk_item_order check (
    (verdict is not null or carrying_out_since is null) and (carrying_out_since is not null or carried_out_at is null))
);
create index desk_item_claimed_by on desk_item (claimed_by);

create table desk_decision (
  id uuid primary key,
  queue text not null,
  subject uuid not null,
  round integer not null,
  seat text not null check (seat in ('first', 'second', 'lead')),
  operator_id uuid not null references desk_operator (id),
  verdict text not null check (verdict ~ '^[a-z_]{1,40}$'),
  reason text not null check (char_length(btrim(reason)) between 10 and 500),
  decided_at timestamptz not null,
  foreign key (queue, subject) references desk_item (queue, subject),
  constraint desk_decision_one_each unique (queue, subject, round, seat),
  constraint desk_decision_different_people unique (queue, subject, round, operator_id)
);
create index desk_decision_operator on desk_decision (operator_id);

-- Everything operators do and read, in the order in which it happened. The hash of each line covers the line before it.
create table desk_log (
  number bigint primary key,
  at timestamptz not null,
  -- Null for what the command on the server did; `actor` names who that was.
  operator_id uuid references desk_operator (id),
  actor text not null,
  act text not null check (act ~ '^[a-z_]{1,40}$'),
  queue text,
  -- An entry of the queue, or an operator.
  subject text,
  reason text,
  before text,
  after text,
  -- Of a decision: what it says stays hidden until somebody else has decided as well.
  decision_id uuid references desk_decision (id),
  hash bytea not null
);
create index desk_log_subject on desk_log (queue, subject, number);
create index desk_log_operator on desk_log (operator_id, number);
create index desk_log_decision on desk_log (decision_id);

create function desk_hash(line desk_log, hash_before bytea) returns bytea
language sql stable
set search_path = pg_catalog, public, pg_temp
as $$
  select sha256(coalesce(hash_before, ''::bytea) || convert_to(jsonb_build_array(
    line.number, extract(epoch from line.at)::text, line.operator_id, line.actor, line.act, line.queue, line.subject, line.reason,
    line.before, line.after, line.decision_id)::text, 'UTF8'))
$$;

-- Numbers and hashes the line, one line after the other.
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
create trigger line_is_chained before insert on desk_log for each row execute function chain_desk_line();

create function refuse_change_of_desk() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end
$$;
create trigger history_is_kept before update or delete or truncate on desk_log
  for each statement execute function refuse_change_of_desk();
create trigger history_is_kept before update or delete or truncate on desk_decision
  for each statement execute function refuse_change_of_desk();
