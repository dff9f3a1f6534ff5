-- Owner: disputes. What people say is wrong with a transaction of theirs, what was known of it then, and what became of it.

-- Until when a transaction can be disputed, and by when that is decided; the newest version that is valid counts, and `*` where
-- a country has no row of its own. Days are business days of the country, but for `answer`, `object` and `extended`.
create table dispute_policy (
  country text not null check (country ~ '^([A-Z]{2}|\*)$'),
  kind text not null check (kind in ('unauthorized', 'not_received', 'wrong_amount')),
  version integer not null check (version > 0),
  valid_from timestamptz not null,
  open_within_months integer not null check (open_within_months > 0),
  decide_within_days integer not null check (decide_within_days > 0),
  -- If it is not decided by then, the money is back in the wallet for as long as it takes; null: it is not.
  credit_within_days integer check (credit_within_days > 0),
  -- Counted from the opening, once the deadline passed without a decision.
  extended_days integer not null check (extended_days > 0),
  answer_within_days integer not null check (answer_within_days > 0),
  object_within_days integer not null check (object_within_days > 0),
  objection_within_days integer not null check (objection_within_days > 0),
  -- The rule it follows, as a code.
  source text not null check (source ~ '^[a-z0-9_]{1,40}$'),
  primary key (country, kind, version)
);

insert into dispute_policy
select country, kind, 1, '2020-01-01', months, decide, case when kind = any(credited) then decide end, extended, 10, 30, 10, source
  from (values
    -- PSD2, articles 71 and 101: 13 months; 15 business days, 35 at most.
    ('DE', 13, 15, array['unauthorized'], 49, 'psd2'),
    ('FR', 13, 15, array['unauthorized'], 49, 'psd2'),
    ('GB', 13, 15, array['unauthorized'], 49, 'psr_2017'),
    -- Regulation E, 1005.11 and 1005.33: 180 days; 10 business days, then provisional credit and 45 days in all.
    ('US', 6, 10, array['unauthorized', 'not_received', 'wrong_amount'], 45, 'regulation_e'),
    -- ePayments Code, chapter F: six years; 21 days, 45 at most.
    ('AU', 72, 15, array['unauthorized'], 45, 'epayments_code'),
    -- E-Payments User Protection Guidelines: 21 business days, 45 at most.
    ('SG', 13, 21, array['unauthorized'], 63, 'epayments_guidelines'),
    -- Reserve Bank of India, 6 July 2017: shadow credit within 10 working days, decided within 90.
    ('IN', 13, 10, array['unauthorized'], 90, 'rbi_2017'),
    ('*', 13, 15, array['unauthorized'], 49, 'house_rule')
  ) as rule (country, months, decide, credited, extended, source)
  cross join (values ('unauthorized'), ('not_received'), ('wrong_amount')) as kinds (kind);

create table dispute (
  id uuid primary key,
  user_id bigint not null references app_user (id),
  transaction_id uuid not null,
  kind text not null check (kind in ('unauthorized', 'not_received', 'wrong_amount')),
  state text not null default 'open' check (state in ('open', 'upheld', 'dismissed', 'withdrawn')),
  -- What they wrote; empty once they have left.
  statement text not null check (char_length(statement) <= 2000),
  -- What comes back if they are right.
  claimed_minor numeric(38, 0) not null check (claimed_minor > 0),
  currency text not null references ledger.currency (code),
  -- What was known when it was opened, and the SHA-256 of that with what they wrote.
  facts jsonb not null,
  hash bytea not null check (octet_length(hash) = 32),
  policy_country text not null,
  policy_version integer not null,
  opened_at timestamptz not null,
  -- Until then somebody decides; later than at first once it was escalated.
  decide_by timestamptz not null,
  credit_by timestamptz,
  escalated_at timestamptz,
  need text check (need in ('explanation', 'document')),
  need_by timestamptz,
  -- Why it ended so, as a code.
  outcome text check (outcome in ('credited', 'already_back', 'arrived', 'not_founded', 'withdrawn')),
  decided_at timestamptz,
  foreign key (user_id, transaction_id) references transaction (user_id, id),
  foreign key (policy_country, kind, policy_version) references dispute_policy (country, kind, version),
  constraint dispute_decided check ((state = 'open') = (decided_at is null) and (state = 'open') = (outcome is null)),
  constraint dispute_need check ((need is null) = (need_by is null))
);
-- A transaction is disputed once; whoever disagrees with the decision objects.
create unique index dispute_once on dispute (user_id, transaction_id) where state <> 'withdrawn';
create index dispute_of_user on dispute (user_id, opened_at desc);
create index dispute_of_transaction on dispute (transaction_id);
create index dispute_open on dispute (decide_by) where state = 'open';
create index dispute_needed on dispute (need_by) where need is not null;
create index dispute_policy_used on dispute (policy_country, kind, policy_version);
create trigger people_are_there before insert on dispute
  for each row execute function refuse_deleted_user('user_id');

-- Everything that happened, as the person reads it.
create table dispute_event (
  id uuid primary key,
  dispute_id uuid not null references dispute (id),
  code text not null check (code ~ '^[a-z_]{1,40}$'),
  -- What the person wrote then.
  text text check (char_length(text) <= 2000),
  at timestamptz not null
);
create index dispute_event_of_dispute on dispute_event (dispute_id, at);

create table dispute_file (
  id uuid primary key,
  dispute_id uuid not null references dispute (id),
  content_type text not null check (content_type in ('image/jpeg', 'application/pdf')),
  size_bytes integer not null check (size_bytes > 0),
  -- Of the cleaned file.
  sha256 bytea not null check (octet_length(sha256) = 32),
  -- The cleaned file, encrypted and bound to this row; null once deleted.
  content bytea,
  created_at timestamptz not null
);
alter table dispute_file alter column content set storage external;
create index dispute_file_of_dispute on dispute_file (dispute_id, created_at);

-- What moved because of a dispute, each at most once: back to the wallet for now, for good, away from it again, or to our loss
-- when the bank sent back what the wallet had got from us already.
create table dispute_posting (
  posting_id uuid primary key,
  dispute_id uuid not null references dispute (id),
  kind text not null check (kind in ('provisional', 'final', 'taken_back', 'recovered')),
  -- The transaction that the person sees; null where nothing of theirs moved.
  transaction_id uuid,
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null references ledger.currency (code),
  at timestamptz not null,
  constraint dispute_posting_once unique (dispute_id, kind),
  constraint dispute_posting_seen check ((kind = 'recovered') = (transaction_id is null))
);
create index dispute_posting_of_transaction on dispute_posting (transaction_id);

-- Somebody disagrees with a decision. Another person decides.
create table dispute_objection (
  id uuid primary key,
  dispute_id uuid not null unique references dispute (id),
  text text not null check (char_length(text) <= 2000),
  state text not null default 'open' check (state in ('open', 'upheld', 'dismissed')),
  made_at timestamptz not null,
  decide_by timestamptz not null,
  escalated_at timestamptz,
  decided_at timestamptz,
  constraint dispute_objection_decided check ((state = 'open') = (decided_at is null))
);
create index dispute_objection_open on dispute_objection (decide_by) where state = 'open';

-- Each time a dispute waits for operators: an entry of their queue.
create table dispute_review (
  id uuid primary key,
  dispute_id uuid not null references dispute (id),
  cause text not null check (cause in ('opened', 'answered', 'not_answered', 'objected')),
  opened_at timestamptz not null,
  closed_at timestamptz
);
create unique index dispute_review_open on dispute_review (dispute_id) where closed_at is null;
create index dispute_review_of_dispute on dispute_review (dispute_id);

insert into desk_policy values ('disputes', 100000);

-- Whoever has decided about a dispute, or had taken it, has nothing to do with an objection to that decision.
create function dispute_is_involved(review uuid, operator uuid) returns boolean language sql stable as $$
  select exists (
    select from dispute_review own
      join dispute_review before on before.dispute_id = own.dispute_id and before.id <> own.id
     where own.id = review and own.cause = 'objected' and (
       exists (select from desk_decision d
         where d.queue = 'disputes' and d.subject = before.id and d.operator_id = operator)
       or exists (select from desk_log l
         where l.queue = 'disputes' and l.subject = before.id::text and l.act in ('claimed', 'handed_over')
           and (l.operator_id = operator or l.after = (select name from desk_operator where id = operator)))))
$$;

create function refuse_involved_operator() returns trigger language plpgsql as $$
begin
  if dispute_is_involved(new.subject, new.operator_id) then
    raise exception 'operator % decides about their own decision', new.operator_id using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger dispute_objections_go_to_others before insert on desk_decision
  for each row when (new.queue = 'disputes') execute function refuse_involved_operator();
