-- Sanctions screening of people and counterparties, compliance cases, the travel rule, and transaction monitoring.

-- Freshness and plausibility limits of each list source.
create table screening_policy (
  source text primary key check (source in ('ofac_sdn', 'ofac_consolidated', 'un', 'eu', 'uk', 'pep')),
  max_age_hours integer not null check (max_age_hours > 0),
  -- Larger share of entries missing from a new version fails the import.
  max_vanished_percent integer not null check (max_vanished_percent between 0 and 100),
  -- In production, verification and payments wait while a required list is missing or stale.
  is_required boolean not null default false
);
insert into screening_policy (source, max_age_hours, max_vanished_percent, is_required) values
  ('ofac_consolidated', 48, 20, false),
  ('pep', 744, 20, false),
  ('ofac_sdn', 48, 20, true),
  ('un', 48, 20, true),
  ('eu', 48, 20, true),
  ('uk', 48, 20, true);

-- Imported list versions; the highest of a source is in force.
create table screening_list (
  source text not null references screening_policy,
  version integer not null check (version > 0),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  files text[] not null,
  entries integer not null check (entries > 0),
  published_at timestamptz,
  imported_at timestamptz not null,
  -- When the list was last found unchanged, or was imported.
  checked_at timestamptz not null,
  primary key (source, version)
);

-- State of the automatic downloads.
create table screening_fetch (
  source text primary key references screening_policy,
  -- Address and validators (ETag, Last-Modified) of each file of `version`.
  files jsonb not null default '[]'::jsonb check (jsonb_typeof(files) = 'array'),
  -- Version imported from the files; null before the first.
  version integer check (version > 0),
  tried_at timestamptz not null,
  -- Reason why the latest attempt failed; null if it succeeded.
  failure text check (failure <> ''),
  -- Time of the first failure since the last success.
  failing_since timestamptz,
  check ((failure is null) = (failing_since is null))
);

-- Current and former entries of the lists. A changed entry keeps its row.
create table screening_entry (
  id uuid primary key default gen_random_uuid(),
  source text not null references screening_policy,
  reference text not null,
  kind text not null check (kind in ('person', 'entity', 'vessel', 'aircraft')),
  programme text not null,
  birth_dates text[] not null,
  countries text[] not null,
  content_hash text not null,
  first_version integer not null,
  changed_version integer not null,
  -- First version without the entry; null while it is listed.
  ended_version integer,
  constraint screening_entry_reference unique (source, reference)
);

-- Names of entries, as listed.
create table screening_name (
  id bigint generated always as identity primary key,
  entry_id uuid not null references screening_entry,
  name text not null,
  kind text not null check (kind in ('primary', 'alias', 'weak'))
);
create index screening_name_entry on screening_name (entry_id);

-- Changes of lists or matcher, each of which makes every person and counterparty due for screening.
create table screening_epoch (
  number integer primary key check (number > 0),
  cause text not null check (cause in ('import', 'matcher')),
  matcher_version integer not null check (matcher_version > 0),
  begun_at timestamptz not null,
  -- Started by an import that ended a gap without fresh required lists: people wait until they are screened since.
  ends_gap boolean not null default false
);

-- Users to screen: all who submitted an identity form.
create table screening_person (
  user_id bigint primary key references app_user,
  -- Latest epoch screened for; 0 if the name or form changed since.
  screened_epoch integer not null default 0,
  screened_at timestamptz
);
create index screening_person_due on screening_person (screened_epoch, user_id);

-- Screens a person again after a change of their name or form.
create function screen_again() returns trigger language plpgsql as $$
declare
  person bigint;
begin
  if tg_table_name = 'app_user' then
    update screening_person set screened_epoch = 0 where user_id = new.id;
  else
    person := new.user_id;
    insert into screening_person (user_id) values (person) on conflict (user_id) do update set screened_epoch = 0;
  end if;
  return null;
end $$;
create trigger screen_new_name after update of name, first_name on app_user
  for each row when (old.name is distinct from new.name or old.first_name is distinct from new.first_name)
  execute function screen_again();
create trigger screen_new_form
  after insert or update of first_name, last_name, date_of_birth, country, nationality on kyc_submission
  for each row execute function screen_again();

-- Guests and holders of linked bank accounts, who have no account here and are screened like users.
create table screening_counterparty (
  -- Id of the guest's payment, or of the bank account.
  id uuid primary key,
  kind text not null check (kind in ('guest', 'account_holder')),
  -- User they pay or are paid by.
  user_id bigint not null references app_user,
  -- As given by the guest or the bank.
  name text not null check (name <> ''),
  -- Latest epoch screened for; 0 if the name changed since.
  screened_epoch integer not null default 0,
  screened_at timestamptz,
  created_at timestamptz not null,
  -- When payments by or to them ended: they are not screened again.
  ended_at timestamptz
);
create index screening_counterparty_due on screening_counterparty (screened_epoch, id) where ended_at is null;
create index screening_counterparty_ended on screening_counterparty (ended_at) where ended_at is not null;
create index screening_counterparty_of_user on screening_counterparty (user_id);

-- Deadlines by kind of case. New cases use the newest version, and each case refers to its own.
create table case_policy (
  version integer not null check (version > 0),
  kind text not null check (kind in ('name_match', 'counterparty_name', 'pattern')),
  decide_hours integer not null check (decide_hours > 0),
  -- For a lead, after each missed deadline.
  escalated_hours integer not null check (escalated_hours > 0),
  -- For the person to answer a question.
  answer_hours integer not null check (answer_hours > 0),
  objection_hours integer not null check (objection_hours > 0),
  primary key (version, kind)
);
insert into case_policy (version, kind, decide_hours, escalated_hours, answer_hours, objection_hours) values
  (1, 'name_match', 24, 24, 168, 72),
  (1, 'pattern', 48, 24, 168, 72),
  (1, 'counterparty_name', 24, 24, 168, 72);

-- How much a person may be told about a check, by country of residence. The newest valid row of the country applies, or
-- else the row for all countries (null). `source` is the law, listed in docs/compliance.md.
create table telling_policy (
  country text check (country ~ '^[A-Z]{2}$'),
  check_kind text not null check (check_kind in ('name', 'payment')),
  telling text not null check (telling in ('full', 'limited')),
  valid_from date not null,
  source text not null check (source ~ '^[a-z0-9_]{1,60}$'),
  unique nulls not distinct (country, check_kind, valid_from)
);
insert into telling_policy (country, check_kind, telling, valid_from, source) values
  (null, 'name', 'full', '2026-01-01', 'freezes_are_public'),
  (null, 'payment', 'limited', '2026-01-01', 'fatf_r21'),
  ('US', 'payment', 'limited', '2026-01-01', 'usc_31_5318_g_2'),
  ('GB', 'payment', 'limited', '2026-01-01', 'poca_2002_s333a'),
  ('DE', 'payment', 'limited', '2026-01-01', 'gwg_47'),
  ('FR', 'payment', 'limited', '2026-01-01', 'cmf_l561_18'),
  ('BR', 'payment', 'limited', '2026-01-01', 'lei_9613_11'),
  ('CA', 'payment', 'limited', '2026-01-01', 'pcmltfa_8'),
  ('AU', 'payment', 'limited', '2026-01-01', 'aml_ctf_act_2006_s123'),
  ('JP', 'payment', 'limited', '2026-01-01', 'aptcp_8_3'),
  ('SG', 'payment', 'limited', '2026-01-01', 'cdsa_57'),
  ('IN', 'payment', 'limited', '2026-01-01', 'pmla_rules_8_5');

-- Cases that operators decide.
create table compliance_case (
  id uuid primary key,
  user_id bigint not null references app_user,
  -- `name_match`: a list may mean the user; `counterparty_name`: a list may mean a counterparty of theirs; `pattern`: a
  -- monitoring rule fired on their movements.
  kind text not null,
  state text not null default 'open' check (state in ('open', 'cleared', 'confirmed')),
  -- Blocked until the case is cleared: nothing, the transfers held for it, or all sends, receipts, exchanges and
  -- withdrawals of the user.
  stops text not null check (stops in ('nothing', 'transfers', 'person')),
  policy_version integer not null,
  -- Codes, scores, amounts and ids; no sentences.
  evidence jsonb not null check (jsonb_typeof(evidence) = 'object'),
  -- Requested from the user, until `need_by`.
  need text not null default 'nothing' check (need in ('nothing', 'explanation', 'document')),
  need_by timestamptz,
  -- When an operator has to decide.
  decide_by timestamptz not null,
  opened_at timestamptz not null,
  -- When the last deadline was missed.
  escalated_at timestamptz,
  escalations integer not null default 0 check (escalations >= 0),
  decided_at timestamptz,
  -- Names of the operators.
  decided_by text,
  counterparty_id uuid references screening_counterparty,
  check ((state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  check ((need = 'nothing') = (need_by is null)),
  check (state = 'open' or need = 'nothing'),
  foreign key (policy_version, kind) references case_policy
);
create index compliance_case_of_user on compliance_case (user_id, opened_at);
create index compliance_case_due on compliance_case (decide_by) where state = 'open';
-- Read by every movement.
create index compliance_case_stop on compliance_case (user_id) where stops = 'person' and state <> 'cleared';
create unique index compliance_case_name_match on compliance_case (user_id)
  where kind = 'name_match' and state = 'open';
create unique index compliance_case_counterparty on compliance_case (counterparty_id) where state = 'open';
-- Read by every payment of a counterparty.
create index compliance_case_counterparty_stop on compliance_case (counterparty_id)
  where stops = 'transfers' and state <> 'cleared' and counterparty_id is not null;
create trigger people_are_there before insert on compliance_case
  for each row execute function refuse_deleted_user('user_id');

-- Keeps each transfer held until the last deadline of its open cases.
create function follow_case_deadlines() returns trigger language plpgsql as $$
begin
  update transfer set held_until = due.until
    from (
      select l.transfer_id, max(coalesce(c.need_by, c.decide_by)) as until
        from compliance_case_transfer l join compliance_case c on c.id = l.case_id
       where c.state = 'open' and l.transfer_id in (
         select own.transfer_id from compliance_case_transfer own
          where case tg_table_name when 'compliance_case' then own.case_id = (to_jsonb(new) ->> 'id')::uuid
                else own.transfer_id = (to_jsonb(new) ->> 'transfer_id')::uuid end)
       group by l.transfer_id
    ) as due
   where transfer.id = due.transfer_id and transfer.state = 'held' and transfer.hold_reason = 'compliance'
     and transfer.held_until <> due.until;
  return null;
end
$$;
create trigger transfers_wait_as_long after update of decide_by, need_by, state on compliance_case
  for each row execute function follow_case_deadlines();
call seal_table('compliance_case', '{id}',
  '{user_id, kind, state, stops, need, need_by, decide_by, opened_at, decided_at, decided_by}');

-- Users and counterparties that a list entry may mean.
create table screening_match (
  id uuid primary key,
  user_id bigint references app_user,
  entry_id uuid not null references screening_entry,
  status text not null check (status in ('open', 'cleared', 'ended')),
  score_basis_points integer not null check (score_basis_points between 0 and 10000),
  tier text not null check (tier in ('review', 'hold')),
  listed_name text not null,
  list_version integer not null,
  birth_date_evidence text not null check (birth_date_evidence in ('same', 'close', 'differs', 'not_given')),
  country_evidence text not null check (country_evidence in ('same', 'differs', 'not_given')),
  -- Hashes of the compared data: a cleared match reopens when either changes.
  entry_hash text not null,
  person_hash text not null,
  found_at timestamptz not null,
  closed_at timestamptz,
  -- Name of the operator.
  cleared_by text,
  case_id uuid references compliance_case on delete set null,
  counterparty_id uuid references screening_counterparty on delete cascade,
  constraint screening_match_closed check ((status = 'open') = (closed_at is null)
    and (status = 'cleared') = (cleared_by is not null)),
  constraint screening_match_counterparty_once unique (counterparty_id, entry_id),
  constraint screening_match_of_one check (num_nonnulls(user_id, counterparty_id) = 1),
  constraint screening_match_once unique (user_id, entry_id)
);
create index screening_match_open on screening_match (found_at) where status = 'open';
create index screening_match_case on screening_match (case_id);

-- Transfers held for a case.
create table compliance_case_transfer (
  case_id uuid not null references compliance_case on delete cascade,
  transfer_id uuid not null,
  linked_at timestamptz not null,
  -- When the sender was notified of the hold.
  told_at timestamptz,
  primary key (case_id, transfer_id)
);
create index compliance_case_transfer_of on compliance_case_transfer (transfer_id);
create index compliance_case_transfer_untold on compliance_case_transfer (linked_at) where told_at is null;
create trigger transfers_wait_as_long after insert on compliance_case_transfer
  for each row execute function follow_case_deadlines();

-- Questions to the user of a case, with their answers.
create table compliance_question (
  id uuid primary key,
  case_id uuid not null references compliance_case on delete cascade,
  need text not null check (need in ('explanation', 'document')),
  requested_at timestamptz not null,
  answer_by timestamptz not null,
  answer text check (char_length(answer) between 1 and 2000),
  answered_at timestamptz,
  check ((answer is null) = (answered_at is null))
);
create unique index compliance_question_open on compliance_question (case_id, requested_at);

-- Entries of the operators' queue `cases`. New findings close an entry and open another, so that a decision covers all.
create table compliance_review (
  id uuid primary key,
  case_id uuid not null references compliance_case on delete cascade,
  cause text not null check (cause in ('opened', 'more_found', 'answered', 'not_answered')),
  opened_at timestamptz not null,
  closed_at timestamptz
);
create unique index compliance_review_open on compliance_review (case_id) where closed_at is null;
create index compliance_review_of_case on compliance_review (case_id);

-- Objections to a case. `text` is what the objector wrote.
create table compliance_objection (
  id uuid primary key,
  case_id uuid not null references compliance_case on delete cascade,
  -- User of the case, or sender of a transfer held for it.
  user_id bigint not null references app_user,
  text text not null check (char_length(text) between 1 and 2000),
  state text not null default 'open' check (state in ('open', 'upheld', 'dismissed')),
  made_at timestamptz not null,
  decide_by timestamptz not null,
  escalated_at timestamptz,
  escalations integer not null default 0 check (escalations >= 0),
  decided_at timestamptz,
  decided_by text,
  check ((state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null))
);
create unique index compliance_objection_open on compliance_objection (case_id) where state = 'open';
create index compliance_objection_of_case on compliance_objection (case_id, made_at);
create index compliance_objection_of_user on compliance_objection (user_id);
create index compliance_objection_due on compliance_objection (decide_by) where state = 'open';
create trigger people_are_there before insert on compliance_objection
  for each row execute function refuse_deleted_user('user_id');
call seal_table('compliance_objection', '{id}',
  '{case_id, user_id, state, made_at, decide_by, decided_at, decided_by}');

-- Returns whether an operator has decided, claimed or been handed the case or an earlier objection to it.
create function compliance_is_involved(objection uuid, operator uuid) returns boolean language sql stable as $$
  select exists (
    select from compliance_objection own
      join lateral (
        select 'cases' as queue, r.id as subject from compliance_review r where r.case_id = own.case_id
        union all
        select 'objections', o.id from compliance_objection o where o.case_id = own.case_id and o.id <> own.id
      ) as before on true
     where own.id = objection and (
       exists (select from desk_decision d
         where d.queue = before.queue and d.subject = before.subject and d.operator_id = operator)
       or exists (select from desk_item i
         where i.queue = before.queue and i.subject = before.subject and i.claimed_by = operator)
       or exists (select from desk_log l
         where l.queue = before.queue and l.subject = before.subject::text and l.act in ('claimed', 'handed_over')
           and (l.operator_id = operator or l.after = (select name from desk_operator where id = operator)))))
$$;

-- Refuses decisions on objections by operators involved in the case.
create function require_uninvolved_operator() returns trigger language plpgsql as $$
begin
  if compliance_is_involved(new.subject, new.operator_id) then
    raise exception 'whoever has had to do with a case decides no objection against it' using errcode = 'TC002';
  end if;
  return new;
end
$$;

-- Returns the user of a case, and senders and recipients of the transfers held for it.
create function case_parties(compliance_case_id uuid) returns setof bigint language sql stable as $$
  select c.user_id from compliance_case c where c.id = compliance_case_id
  union all
  select party from compliance_case_transfer l join transfer t on t.id = l.transfer_id,
      unnest(array[t.sender_id, t.recipient_id]) as party
   where l.case_id = compliance_case_id
$$;

-- Lowest amount that requires a travel rule record, by country of originator or beneficiary, in minor units. The
-- newest valid row of a country applies, and the lower of two. `source` is the law, listed in docs/travel-rule.md.
create table travel_rule_threshold (
  country text not null check (country ~ '^[A-Z]{2}$'),
  valid_from date not null,
  currency text not null,
  threshold_minor numeric(38, 0) not null check (threshold_minor >= 0),
  source text not null check (source ~ '^[a-z0-9_]{1,60}$'),
  primary key (country, valid_from)
);
insert into travel_rule_threshold (country, valid_from, currency, threshold_minor, source) values
  ('US', '2026-01-01', 'USD', 300000, 'cfr_31_1010_410_f'),
  ('GB', '2026-01-01', 'GBP', 0, 'mlr_2017_part_7a'),
  ('CA', '2026-01-01', 'CAD', 100000, 'pcmltfr_travel_rule'),
  ('AU', '2026-01-01', 'AUD', 0, 'aml_ctf_act_2006_part_5'),
  ('DE', '2026-01-01', 'EUR', 0, 'eu_2023_1113'),
  ('FR', '2026-01-01', 'EUR', 0, 'eu_2023_1113'),
  ('JP', '2026-01-01', 'JPY', 0, 'aptcp_10'),
  ('SG', '2026-01-01', 'SGD', 150000, 'mas_psn01_psn02'),
  ('IN', '2026-01-01', 'INR', 0, 'fiu_ind_vda_guidelines'),
  ('BR', '2026-01-01', 'BRL', 0, 'bcb_3978_2020');

-- Travel rule records of sends and payouts. `content` is an IVMS101 message, encrypted.
create table travel_rule_record (
  transaction_id uuid primary key,
  originator_id bigint not null references app_user,
  -- Equal to the originator for a payout.
  beneficiary_id bigint not null references app_user,
  kind text not null check (kind in ('send', 'payout')),
  -- US dollar cents at the rates of `recorded_at`; null without a rate.
  usd_minor numeric(38, 0) check (usd_minor >= 0),
  -- Threshold reached; null if amount and thresholds could not be compared.
  threshold_country text,
  threshold_valid_from date,
  content bytea not null,
  moved_at timestamptz not null,
  recorded_at timestamptz not null,
  foreign key (threshold_country, threshold_valid_from) references travel_rule_threshold
);
create index travel_rule_record_of_originator on travel_rule_record (originator_id, moved_at);
create index travel_rule_record_of_beneficiary on travel_rule_record (beneficiary_id, moved_at);
create index travel_rule_record_old on travel_rule_record using brin (moved_at)
  with (pages_per_range = 16, autosummarize = on);

-- Transaction number of `cluster` below which all transfers were processed. In another cluster, which counts anew, all
-- since a day before `at` are processed again.
create table travel_rule_position (
  only_row boolean primary key default true check (only_row),
  position xid8 not null,
  cluster bigint not null,
  at timestamptz not null
);
insert into travel_rule_position (position, cluster, at)
  select pg_snapshot_xmin(pg_current_snapshot()), system_identifier, now() from pg_control_system();

-- Parameters of the rules. A new version is a new row; the newest applies. Amounts are US dollar cents.
create table monitoring_policy (
  version integer primary key check (version > 0),
  -- `structuring`: movements in one direction, each between this share of a reporting threshold and the threshold.
  structuring_hours integer not null check (structuring_hours > 0),
  structuring_count integer not null check (structuring_count > 1),
  structuring_percent integer not null check (structuring_percent between 1 and 99),
  -- `rapid_in_and_out`: minimum amount from unknown senders, and the share of it sent on to unknown payees or a bank.
  rapid_hours integer not null check (rapid_hours > 0),
  rapid_usd_minor numeric(38, 0) not null check (rapid_usd_minor > 0),
  rapid_percent integer not null check (rapid_percent between 1 and 100),
  -- `fan_in`: unknown senders without a request.
  fan_in_hours integer not null check (fan_in_hours > 0),
  fan_in_senders integer not null check (fan_in_senders > 1),
  -- `mule`: account age, unknown senders without a request, and the share sent on to a bank or to unknown payees.
  mule_account_days integer not null check (mule_account_days > 0),
  mule_hours integer not null check (mule_hours > 0),
  mule_senders integer not null check (mule_senders > 1),
  mule_percent integer not null check (mule_percent between 1 and 100),
  mule_payees integer not null check (mule_payees > 1),
  -- A party is known after a payment in the same direction at least this long ago.
  known_days integer not null check (known_days > 0)
);
insert into monitoring_policy (version, structuring_hours, structuring_count, structuring_percent, rapid_hours,
  rapid_usd_minor, rapid_percent, fan_in_hours, fan_in_senders, mule_account_days, mule_hours, mule_senders,
  mule_percent, mule_payees, known_days) values
  (1, 72, 3, 80, 24, 200000, 80, 24, 10, 30, 168, 5, 70, 2, 30);

-- Amounts from which a single movement must be reported, by country of the user, in minor units. The newest valid row
-- of each source applies.
create table reporting_threshold (
  country text not null check (country ~ '^[A-Z]{2}$'),
  source text not null check (source ~ '^[a-z0-9_]{1,60}$'),
  valid_from date not null,
  currency text not null,
  threshold_minor numeric(38, 0) not null check (threshold_minor > 0),
  primary key (country, source, valid_from)
);
insert into reporting_threshold (country, source, valid_from, currency, threshold_minor) values
  ('US', 'cfr_31_1010_311', '2026-01-01', 'USD', 1000000),
  ('US', 'cfr_31_1010_410_f', '2026-01-01', 'USD', 300000),
  ('GB', 'mlr_2017_reg_27', '2026-01-01', 'EUR', 1000000),
  ('CA', 'pcmltfr_large_value', '2026-01-01', 'CAD', 1000000),
  ('AU', 'aml_ctf_act_2006_s43', '2026-01-01', 'AUD', 1000000),
  ('DE', 'eu_2024_1624', '2026-01-01', 'EUR', 1000000),
  ('FR', 'eu_2024_1624', '2026-01-01', 'EUR', 1000000),
  ('JP', 'aptcp_8', '2026-01-01', 'JPY', 2000000),
  ('SG', 'cdsa_crr', '2026-01-01', 'SGD', 2000000),
  ('IN', 'pmla_rules_3', '2026-01-01', 'INR', 100000000),
  ('BR', 'bcb_3978_2020_art49', '2026-01-01', 'BRL', 5000000);

-- The same as travel_rule_position, for monitoring.
create table monitoring_position (
  only_row boolean primary key default true check (only_row),
  position xid8 not null,
  cluster bigint not null,
  at timestamptz not null
);
insert into monitoring_position (position, cluster, at)
  select pg_snapshot_xmin(pg_current_snapshot()), system_identifier, now() from pg_control_system();
