-- Owner: compliance. Whom users pay or are paid by and who has no account here: screened like users, and a case may stop their payments.

create table screening_counterparty (
  -- Of the guest's payment, or of the bank account that they hold.
  id uuid primary key,
  kind text not null check (kind in ('guest', 'account_holder')),
  -- Whose payments.
  user_id bigint not null references app_user (id),
  -- As the guest or the bank gave it.
  name text not null check (name <> ''),
  -- As of which change of the lists they are screened; 0 when their name changed since.
  screened_epoch integer not null default 0,
  screened_at timestamptz,
  created_at timestamptz not null,
  -- From when on nothing is paid by or to them, so that changes of lists no longer matter.
  ended_at timestamptz
);
create index screening_counterparty_due on screening_counterparty (screened_epoch, id) where ended_at is null;
create index screening_counterparty_ended on screening_counterparty (ended_at) where ended_at is not null;
create index screening_counterparty_of_user on screening_counterparty (user_id);

-- A match is one of a user, or of a counterparty.
alter table screening_match alter column user_id drop not null;
alter table screening_match add column counterparty_id uuid references screening_counterparty (id) on delete cascade;
alter table screening_match add constraint screening_match_counterparty_once unique (counterparty_id, entry_id);
alter table screening_match add constraint screening_match_of_one check (num_nonnulls(user_id, counterparty_id) = 1);

alter table compliance_case add column counterparty_id uuid references screening_counterparty (id);
create unique index compliance_case_counterparty on compliance_case (counterparty_id) where state = 'open';
-- What every payment to or by them asks.
create index compliance_case_counterparty_stop on compliance_case (counterparty_id)
  where stops = 'transfers' and state <> 'cleared' and counterparty_id is not null;

-- The kind is named after whom it is about: guests are no payees.
alter table case_policy drop constraint case_policy_kind_check;
insert into case_policy (version, kind, decide_hours, escalated_hours, answer_hours, objection_hours)
  select version, 'counterparty_name', decide_hours, escalated_hours, answer_hours, objection_hours
    from case_policy where kind = 'payee_name';
update compliance_case set kind = 'counterparty_name' where kind = 'payee_name';
delete from case_policy where kind = 'payee_name';
alter table case_policy add constraint case_policy_kind_check check (kind in ('name_match', 'counterparty_name', 'pattern'));

-- Why a guest's card was not charged: operators found that a list means them.
alter table guest_payment drop constraint guest_payment_refusal_check;
alter table guest_payment add constraint guest_payment_refusal_check
  check (refusal in ('request_closed', 'limit_exceeded', 'price_moved', 'not_accepted'));
