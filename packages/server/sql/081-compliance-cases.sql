-- Owner: compliance. Cases: what stops somebody's payments until a person has decided, what they are asked, and what they object.

-- How many hours each step may take, by kind of case. A new version is new rows; the newest counts, and every case names its own.
create table case_policy (
  version int not null check (version > 0),
  kind text not null check (kind in ('name_match', 'payee_name', 'pattern')),
  decide_hours int not null check (decide_hours > 0),
  -- After a deadline that nobody met: for a lead, again and again.
  escalated_hours int not null check (escalated_hours > 0),
  -- For what the person is asked.
  answer_hours int not null check (answer_hours > 0),
  objection_hours int not null check (objection_hours > 0),
  primary key (version, kind)
);
insert into case_policy values
  (1, 'name_match', 24, 24, 168, 72), (1, 'payee_name', 24, 24, 168, 72), (1, 'pattern', 48, 24, 168, 72);

-- What somebody may be told of a check, by the country they live in and the kind of check: the newest valid row counts, one of
-- the country before the one for all others (null). `source` names the law, as docs/compliance.md lists it.
create table telling_policy (
  country text check (country ~ '^[A-Z]{2}$'),
  check_kind text not null check (check_kind in ('name', 'payment')),
  telling text not null check (telling in ('full', 'limited')),
  valid_from date not null,
  source text not null check (source ~ '^[a-z0-9_]{1,60}$'),
  unique nulls not distinct (country, check_kind, valid_from)
);
insert into telling_policy values
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

create table compliance_case (
  id uuid primary key,
  -- Whose payments it is about.
  user_id bigint not null references app_user (id),
  -- `name_match`: a list may mean this person; `payee_name`: it may mean somebody they pay or are paid by, who has no account
  -- here; `pattern`: what they moved.
  kind text not null,
  state text not null default 'open' check (state in ('open', 'cleared', 'confirmed')),
  -- Until it is cleared: nothing, the transfers that are held for it, or all that this person sends, gets from others, exchanges or
  -- withdraws.
  stops text not null check (stops in ('nothing', 'transfers', 'person')),
  policy_version int not null,
  -- Codes, scores, amounts and ids; never words.
  evidence jsonb not null check (jsonb_typeof(evidence) = 'object'),
  -- What the person is asked for now, and until when.
  need text not null default 'nothing' check (need in ('nothing', 'explanation', 'document')),
  need_by timestamptz,
  -- By when an operator decides, or looks again at what was asked.
  decide_by timestamptz not null,
  opened_at timestamptz not null,
  -- Of the last deadline that nobody met.
  escalated_at timestamptz,
  escalations int not null default 0 check (escalations >= 0),
  decided_at timestamptz,
  -- Operators' names.
  decided_by text,
  foreign key (policy_version, kind) references case_policy (version, kind),
  check ((state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  check ((need = 'nothing') = (need_by is null)),
  check (state = 'open' or need = 'nothing')
);
create index compliance_case_of_user on compliance_case (user_id, opened_at);
create index compliance_case_due on compliance_case (decide_by) where state = 'open';
-- What every movement asks.
create index compliance_case_stop on compliance_case (user_id) where stops = 'person' and state <> 'cleared';
create unique index compliance_case_name_match on compliance_case (user_id) where kind = 'name_match' and state = 'open';

create table compliance_case_transfer (
  case_id uuid not null references compliance_case (id) on delete cascade,
  transfer_id uuid not null references transfer (id),
  linked_at timestamptz not null,
  -- When its sender was told that it is held.
  told_at timestamptz,
  primary key (case_id, transfer_id)
);
create index compliance_case_transfer_of on compliance_case_transfer (transfer_id);
create index compliance_case_transfer_untold on compliance_case_transfer (linked_at) where told_at is null;

-- What the person was asked, and what they said.
create table compliance_question (
  id uuid primary key,
  case_id uuid not null references compliance_case (id) on delete cascade,
  need text not null check (need in ('explanation', 'document')),
  requested_at timestamptz not null,
  answer_by timestamptz not null,
  answer text check (char_length(answer) between 1 and 2000),
  answered_at timestamptz,
  check ((answer is null) = (answered_at is null))
);
create unique index compliance_question_open on compliance_question (case_id, requested_at);

-- Each time a case waits for operators: the entry of their queue. What is new begins another one, so nobody decides about what they
-- did not see.
create table compliance_review (
  id uuid primary key,
  case_id uuid not null references compliance_case (id) on delete cascade,
  cause text not null check (cause in ('opened', 'more_found', 'answered', 'not_answered')),
  opened_at timestamptz not null,
  closed_at timestamptz
);
create unique index compliance_review_open on compliance_review (case_id) where closed_at is null;
create index compliance_review_of_case on compliance_review (case_id);

create table compliance_objection (
  id uuid primary key,
  case_id uuid not null references compliance_case (id) on delete cascade,
  -- Of the case, or the sender of a transfer that is held for it.
  user_id bigint not null references app_user (id),
  text text not null check (char_length(text) between 1 and 2000),
  state text not null default 'open' check (state in ('open', 'upheld', 'dismissed')),
  made_at timestamptz not null,
  decide_by timestamptz not null,
  escalated_at timestamptz,
  escalations int not null default 0 check (escalations >= 0),
  decided_at timestamptz,
  decided_by text,
  check ((state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null))
);
create unique index compliance_objection_open on compliance_objection (case_id) where state = 'open';
create index compliance_objection_of_case on compliance_objection (case_id, made_at);
create index compliance_objection_of_user on compliance_objection (user_id);
create index compliance_objection_due on compliance_objection (decide_by) where state = 'open';

create trigger people_are_there before insert on compliance_case
  for each row execute function refuse_deleted_user('user_id');
create trigger people_are_there before insert on compliance_objection
  for each row execute function refuse_deleted_user('user_id');

-- Which matches a case is about.
alter table screening_match add column case_id uuid references compliance_case (id) on delete set null;
create index screening_match_case on screening_match (case_id);

alter table transfer drop constraint transfer_hold_reason_check;
alter table transfer add constraint transfer_hold_reason_check check (hold_reason in
  ('undo', 'scheduled', 'review', 'compliance'));
create index transfer_held_for_compliance on transfer (sender_id) where state = 'held' and hold_reason = 'compliance';

insert into desk_policy values ('cases', 0), ('objections', 0);

-- An objection is decided by people who have had nothing to do with what it is against: whoever has decided about the case or an
-- earlier objection, or had taken it, cannot.
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

create function require_uninvolved_operator() returns trigger language plpgsql as $$
begin
  if compliance_is_involved(new.subject, new.operator_id) then
    raise exception 'whoever has had to do with a case decides no objection against it' using errcode = 'TC002';
  end if;
  return new;
end
$$;
create trigger objections_are_decided_by_others before insert on desk_decision
  for each row when (new.queue = 'objections') execute function require_uninvolved_operator();

-- Whoever a list may mean already.
with opened as (
  insert into compliance_case (id, user_id, kind, stops, policy_version, evidence, decide_by, opened_at)
  select gen_random_uuid(), user_id, 'name_match', case when bool_or(tier = 'hold') then 'person' else 'nothing' end, 1,
      jsonb_build_object('matches', count(*), 'highest_score', max(score_basis_points)), now() + interval '24 hours', now()
    from screening_match where status = 'open' group by user_id
  returning id, user_id, opened_at
), reviewed as (
  insert into compliance_review (id, case_id, cause, opened_at) select gen_random_uuid(), id, 'opened', opened_at from opened
)
update screening_match m set case_id = opened.id from opened where m.user_id = opened.user_id and m.status = 'open';

-- What waits for cases waits until the last of their deadlines; these move when a lead takes over, and when the person is asked.
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
create trigger transfers_wait_as_long after insert on compliance_case_transfer
  for each row execute function follow_case_deadlines();
