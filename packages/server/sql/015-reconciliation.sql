-- Owner: payments. When the provider's books were compared with ours, and what that needs.

create table reconciliation_run (
  id uuid primary key,
  provider text not null,
  -- Movements with from_at <= time < until_at were compared; the next run begins a little before until_at.
  from_at timestamptz not null,
  until_at timestamptz not null,
  finished_at timestamptz not null,
  compared int not null,
  taken_in int not null,
  -- What the provider did not answer about: only a run without any counts as done.
  undecided int not null,
  cases_opened int not null,
  cases_closed int not null
);
create index reconciliation_run_last on reconciliation_run (provider, until_at) where undecided = 0;

-- happened_at: the time of the movement, or the earliest it can have; reconciliation looks back so far while the case is
-- open. is_decided: a person has closed it, and the very same difference opens no new case.
alter table money_case
  add column happened_at timestamptz,
  add column is_decided boolean not null default false,
  add check (closed_at is not null or not is_decided);
create index money_case_decided on money_case (kind, provider, subject) where is_decided;

-- What was captured before movements were noted one by one.
insert into settlement_line (provider, id, kind, amount_minor, currency, reference, posting_id, occurred_at)
  select p.provider, p.capture_id, 'capture', p.amount_minor, p.currency, p.id, t.posting_id, t.created_at
    from payment p join transaction t on t.id = p.transaction_id and t.user_id = p.user_id
   where p.status = 'completed' and p.capture_id is not null
  on conflict do nothing;
insert into money_case (id, kind, provider, subject, reference, detail, opened_at, happened_at)
  select gen_random_uuid(), 'unplaced', p.provider, p.capture_id, p.id,
      'Another amount was captured than was asked for; nothing was credited.', p.updated_at, p.created_at
    from payment p where p.status = 'needs_review' and p.capture_id is not null
  on conflict do nothing;
