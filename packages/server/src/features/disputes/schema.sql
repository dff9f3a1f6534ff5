-- Disputes: what account holders say is wrong with a transaction, the evidence, the decision, and the credits.

-- Deadlines by country of residence. The newest valid version of the country applies, or else of `*`. Days are business
-- days of the country, except in `answer_within_days`, `object_within_days` and the `extended` columns.
create table dispute_policy (
  country text not null check (country ~ '^([A-Z]{2}|\*)$'),
  kind text not null check (kind in ('unauthorized', 'not_received', 'wrong_amount')),
  version integer not null check (version > 0),
  valid_from timestamptz not null,
  open_within_months integer not null check (open_within_months > 0),
  decide_within_days integer not null check (decide_within_days > 0),
  -- Provisional credit if undecided by then; null: none.
  credit_within_days integer check (credit_within_days > 0),
  -- New deadline after a missed one, counted from the opening.
  extended_days integer not null check (extended_days > 0),
  answer_within_days integer not null check (answer_within_days > 0),
  object_within_days integer not null check (object_within_days > 0),
  objection_within_days integer not null check (objection_within_days > 0),
  -- Code of the law or rule.
  source text not null check (source ~ '^[a-z0-9_]{1,40}$'),
  -- Account age, since the first credit, below which the next two columns apply instead; null: no such rule.
  new_account_days integer check (new_account_days > 0),
  -- Until the decision, and until the credit if there is one.
  new_account_within_days integer check (new_account_within_days > 0),
  new_account_extended_days integer check (new_account_extended_days > 0),
  primary key (country, kind, version),
  constraint dispute_policy_new_accounts
    check (num_nulls(new_account_days, new_account_within_days, new_account_extended_days) in (0, 3))
);
insert into dispute_policy
  select country, kind, 1, '2020-01-01', months, days, case when kind = any(credited) then days end, extended,
      10, 30, 10, source
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
      -- Reserve Bank of India, 6 July 2017: shadow credit within 10 working days, decision within 90.
      ('IN', 13, 10, array['unauthorized'], 90, 'rbi_2017'),
      ('*', 13, 15, array['unauthorized'], 49, 'house_rule')
    ) as rule (country, months, days, credited, extended, source)
    cross join (values ('unauthorized'), ('not_received'), ('wrong_amount')) as kinds (kind);
insert into dispute_policy
  select country, kind, 2, now(), open_within_months, decide_within_days,
      -- PSD2, article 73, and PSR 2017, regulation 76: an unauthorized payment, by the end of the next business day.
      case when country = 'US' then credit_within_days when kind = 'unauthorized' then 1 end,
      extended_days, answer_within_days, object_within_days, objection_within_days, source,
      -- Regulation E, 1005.11(c)(3): 30 days after the first deposit, 20 business days, and 90 days in all.
      case country when 'US' then 30 end, case country when 'US' then 20 end, case country when 'US' then 90 end
    from dispute_policy where country in ('DE', 'FR', 'GB', 'US');

-- Ceilings of provisional credits of open disputes, per person and in total, in US dollar cents. The newest applies.
create table dispute_credit_policy (
  version integer primary key check (version > 0),
  person_usd_minor numeric(38, 0) not null check (person_usd_minor >= 0),
  total_usd_minor numeric(38, 0) not null check (total_usd_minor >= 0)
);
insert into dispute_credit_policy (version, person_usd_minor, total_usd_minor) values (1, 250000, 10000000);

create table dispute (
  id uuid primary key,
  user_id bigint not null references app_user,
  transaction_id uuid not null,
  kind text not null check (kind in ('unauthorized', 'not_received', 'wrong_amount')),
  state text not null default 'open' check (state in ('open', 'upheld', 'dismissed', 'withdrawn')),
  -- Text by the user; empty once the user is deleted.
  statement text not null check (char_length(statement) <= 2000),
  -- Credit if the dispute is upheld.
  claimed_minor numeric(38, 0) not null check (claimed_minor > 0),
  currency text not null references ledger.currency,
  -- Facts known when it was opened.
  facts jsonb not null,
  -- SHA-256 of the facts and the statement.
  hash bytea not null check (octet_length(hash) = 32),
  policy_country text not null,
  policy_version integer not null,
  opened_at timestamptz not null,
  -- Deadline of the decision, extended when it is escalated.
  decide_by timestamptz not null,
  -- Deadline of the provisional credit; null: none.
  credit_by timestamptz,
  escalated_at timestamptz,
  -- Requested from the user, until `need_by`.
  need text check (need in ('explanation', 'document')),
  need_by timestamptz,
  outcome text check (outcome in ('credited', 'already_back', 'arrived', 'not_founded', 'withdrawn')),
  decided_at timestamptz,
  -- Part of `claimed_minor` that is a fee.
  claimed_fee_minor numeric(38, 0) not null default 0,
  -- Whether the deadlines for new accounts apply.
  is_new_account boolean not null default false,
  -- When operators stopped the provisional credit on reasonable grounds to suspect fraud.
  suspected_at timestamptz,
  -- US dollar cents of the provisional credit when it was posted.
  credit_usd_minor numeric(38, 0) check (credit_usd_minor >= 0),
  -- Since when the credit waits for an operator or for room below the ceilings.
  credit_waits_at timestamptz,
  constraint dispute_claimed_fee check (claimed_fee_minor between 0 and claimed_minor),
  constraint dispute_decided check ((state = 'open') = (decided_at is null) and (state = 'open') = (outcome is null)),
  constraint dispute_need check ((need is null) = (need_by is null)),
  constraint dispute_suspected check (suspected_at is null or kind = 'unauthorized' and credit_by is null),
  foreign key (policy_country, kind, policy_version) references dispute_policy,
  foreign key (user_id, transaction_id) references transaction
);
-- A transaction is disputed once: a user who disagrees with the decision objects.
create unique index dispute_once on dispute (user_id, transaction_id) where state <> 'withdrawn';
create index dispute_of_user on dispute (user_id, opened_at desc);
create index dispute_of_transaction on dispute (transaction_id);
create index dispute_open on dispute (decide_by) where state = 'open';
create index dispute_needed on dispute (need_by) where need is not null;
create index dispute_policy_used on dispute (policy_country, kind, policy_version);
create trigger people_are_there before insert on dispute
  for each row execute function refuse_deleted_user('user_id');
call seal_table('dispute', '{id}', '{user_id, transaction_id, kind, state, claimed_minor, claimed_fee_minor, currency,
  opened_at, decide_by, credit_by, need, need_by, outcome, decided_at, suspected_at}');

-- Timeline of a dispute, as the user reads it.
create table dispute_event (
  id uuid primary key,
  dispute_id uuid not null references dispute,
  code text not null check (code ~ '^[a-z_]{1,40}$'),
  -- Text by the user.
  text text check (char_length(text) <= 2000),
  at timestamptz not null
);
create index dispute_event_of_dispute on dispute_event (dispute_id, at);

-- Evidence uploaded by the user.
create table dispute_file (
  id uuid primary key,
  dispute_id uuid not null references dispute,
  content_type text not null check (content_type in ('image/jpeg', 'application/pdf')),
  size_bytes integer not null check (size_bytes > 0),
  -- Hash of the sanitized file.
  sha256 bytea not null check (octet_length(sha256) = 32),
  -- Sanitized file, encrypted and bound to this row; null once deleted.
  content bytea,
  created_at timestamptz not null
);
alter table dispute_file alter column content set storage external;
create index dispute_file_of_dispute on dispute_file (dispute_id, created_at);

-- Money moved for a dispute, each kind at most once. `provisional` and `final` credit the wallet; `taken_back` and
-- `repaid` debit it; `recovered` is money that a bank returned after the wallet was credited, which reduces our loss.
create table dispute_posting (
  posting_id uuid not null,
  dispute_id uuid not null references dispute,
  kind text not null check (kind in ('provisional', 'final', 'taken_back', 'recovered', 'repaid')),
  -- Transaction in the user's list.
  transaction_id uuid,
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null references ledger.currency,
  at timestamptz not null,
  -- Part of `amount_minor` against our fee income; the rest is against our losses.
  fee_minor numeric(38, 0) not null default 0,
  primary key (posting_id, dispute_id),
  constraint dispute_posting_fee check (fee_minor between 0 and amount_minor),
  constraint dispute_posting_once unique (dispute_id, kind),
  constraint dispute_posting_seen check ((kind = 'recovered') = (transaction_id is null))
);
create index dispute_posting_of_transaction on dispute_posting (transaction_id);

-- Serializes postings for one transaction: its row is locked before accounts are.
create function lock_disputed_transaction() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from transaction t join dispute d on d.user_id = t.user_id and d.transaction_id = t.id
    where d.id = new.dispute_id for no key update of t;
  return new;
end
$$;
create trigger disputed_transaction_is_locked before insert on dispute_posting
  for each row execute function lock_disputed_transaction();

-- Refuses to give back more than a transaction's amount and fee, or to recover more than disputes gave back. The first
-- check does not apply to debits.
create function require_given_once() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  disputed record;
  given record;
begin
  for disputed in
    select distinct d.user_id, d.transaction_id from dispute d
     where tg_table_name = 'dispute_posting' and d.id = (to_jsonb(new) ->> 'dispute_id')::uuid
        or tg_table_name = 'settlement_line' and d.transaction_id = (
          select o.transaction_id from payout o where o.id = (to_jsonb(new) ->> 'reference')::uuid)
  loop
    select * into given from dispute_given(disputed.user_id, disputed.transaction_id);
    if given.by_disputes < given.recovered or given.fee_by_disputes not between 0 and given.by_disputes
       or (coalesce(to_jsonb(new) ->> 'kind', '') not in ('taken_back', 'repaid')
         and (given.by_disputes + given.by_others > given.most or given.fee_by_disputes > given.most_fee)) then
      raise exception 'transaction % would be given back % of %, and % of it recovered', disputed.transaction_id,
        given.by_disputes + given.by_others, given.most, given.recovered using errcode = 'check_violation';
    end if;
  end loop;
  return null;
end
$$;
create constraint trigger given_back_once after insert on dispute_posting deferrable initially deferred
  for each row execute function require_given_once();
create constraint trigger returned_once after insert on settlement_line deferrable initially deferred
  for each row when (new.kind = 'payout_return') execute function require_given_once();
call seal_table('dispute_posting', '{posting_id, dispute_id}',
  '{kind, transaction_id, amount_minor, fee_minor, currency, at}');

-- Objections to decisions. Operators who were not involved in the decision decide.
create table dispute_objection (
  id uuid primary key,
  dispute_id uuid not null references dispute unique,
  text text not null check (char_length(text) <= 2000),
  state text not null default 'open' check (state in ('open', 'upheld', 'dismissed')),
  made_at timestamptz not null,
  decide_by timestamptz not null,
  escalated_at timestamptz,
  decided_at timestamptz,
  constraint dispute_objection_decided check ((state = 'open') = (decided_at is null))
);
create index dispute_objection_open on dispute_objection (decide_by) where state = 'open';
call seal_table('dispute_objection', '{id}', '{dispute_id, state, made_at, decide_by, decided_at}');

-- Entries of the operators' queue `disputes`.
create table dispute_review (
  id uuid primary key,
  dispute_id uuid not null references dispute,
  cause text not null check (cause in ('opened', 'answered', 'not_answered', 'objected', 'suspected',
    'credit_waits', 'credited')),
  opened_at timestamptz not null,
  closed_at timestamptz
);
create unique index dispute_review_open on dispute_review (dispute_id) where closed_at is null;
create index dispute_review_of_dispute on dispute_review (dispute_id);

-- Returns whether an operator has decided, claimed or been handed a dispute whose decision is objected to.
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

-- Refuses decisions on objections by operators involved in the dispute.
create function refuse_involved_operator() returns trigger language plpgsql as $$
begin
  if dispute_is_involved(new.subject, new.operator_id) then
    raise exception 'operator % decides about their own decision', new.operator_id using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;

-- Returns the sums given back for a disputed transaction, in minor units of the dispute's currency. `by_disputes`:
-- credits minus debits of its disputes, and the fee part; `recovered`: the part of these that a bank's return refunded
-- to us; `by_others`: returned payouts, refunds, chargebacks and debit returns, minus what the wallet paid for them;
-- `most`: the amount paid, and its fee part.
create function dispute_given(person bigint, disputed uuid)
returns table (
  by_disputes numeric, fee_by_disputes numeric, recovered numeric, by_others numeric, most numeric, most_fee numeric
)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with own as (
    select t.*, (select d.currency from dispute d where d.user_id = person and d.transaction_id = disputed limit 1) as currency,
        t.kind in ('SEND', 'WITHDRAW') as is_outgoing
      from transaction t where t.user_id = person and t.id = disputed
  ), credit as (
    select p.kind, case when p.kind in ('provisional', 'final') then p.amount_minor else -p.amount_minor end as minor,
        case when p.kind in ('provisional', 'final') then p.fee_minor else -p.fee_minor end as fee_minor
      from dispute_posting p join dispute d on d.id = p.dispute_id
     where d.user_id = person and d.transaction_id = disputed
  ), line as (
    select l.posting_id, l.kind, l.amount_minor from settlement_line l join own on l.reference = own.payment_id
     where own.is_outgoing and l.kind in ('payout_return', 'refund', 'chargeback', 'debit_return', 'chargeback_reversal')
  ), other as (
    -- A payout_return line is our receipt; the wallet's credit is in the ledger entries of its posting.
    select coalesce(-sum(amount_minor) filter (where kind <> 'payout_return'), 0) + coalesce((
        select sum(e.amount) from own join ledger.account a on a.name = 'wallet:' || own.wallet_id || ':' || own.currency
          join ledger.entry e on e.account_id = a.id
         where e.posting_id in (select posting_id from line union all
           select x.id from reconciliation_exception x where x.kind = 'loss' and x.reference = own.payment_id)), 0) as minor
      from line
  )
  select (select coalesce(sum(minor), 0) from credit where kind <> 'recovered'),
      (select coalesce(sum(fee_minor), 0) from credit where kind <> 'recovered'),
      (select coalesce(-sum(minor), 0) from credit where kind = 'recovered'), other.minor,
      case when own.status = 'FAILED' then 0 when own.is_outgoing then own.source_amount + own.fee_amount
           when own.currency = own.target_currency then own.target_amount else own.fee_amount end,
      case when own.status = 'FAILED' then 0 else own.fee_amount end
    from own, other
$$;

revoke all on function dispute_given, lock_disputed_transaction, require_given_once from public;
