-- Owner: disputes. Ceilings of automatic provisional credit; above them an operator approves it.

-- In US dollar cents, over credits of open disputes. A new version is a new row; the newest applies.
create table dispute_credit_policy (
  version int primary key check (version > 0),
  person_usd_minor numeric(38, 0) not null check (person_usd_minor >= 0),
  total_usd_minor numeric(38, 0) not null check (total_usd_minor >= 0)
);
insert into dispute_credit_policy values (1, 250000, 10000000);

alter table dispute
  -- Value of the provisional credit when it was posted.
  add column credit_usd_minor numeric(38, 0) check (credit_usd_minor >= 0),
  -- Time since which the credit waits for an operator or for room below the ceilings.
  add column credit_waits_at timestamptz;

alter table dispute_review
  drop constraint dispute_review_cause_check,
  add constraint dispute_review_cause_check
    check (cause in ('opened', 'answered', 'not_answered', 'objected', 'suspected', 'credit_waits', 'credited'));

-- Earlier credits count by their amount if it is in dollars; for other currencies the rate of that day is unknown.
update dispute d set credit_usd_minor = p.amount_minor
  from dispute_posting p where p.dispute_id = d.id and p.kind = 'provisional' and p.currency = 'USD';
