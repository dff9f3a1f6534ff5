-- identity, kyc and payments own what is theirs here: whose name is shown and found, and what providers are asked again.

-- Others see and find only names that were verified. The application folds names, so somebody whose shown name was
-- another than their legal one is found by username and email alone.
update app_user set search_name = null where kyc_status <> 'verified';
update app_user set name = legal_first_name || ' ' || last_name, search_name = null
  from (select user_id, first_name as legal_first_name, last_name from kyc_submission where status = 'verified') as legal
 where id = user_id and name is distinct from legal_first_name || ' ' || last_name;

-- When the provider was last asked about it: whoever has waited longest is asked first, so nobody keeps others waiting.
alter table kyc_submission add column asked_at timestamptz;
update kyc_submission set asked_at = coalesce(decided_at, submitted_at);
alter table kyc_submission alter column asked_at set not null;
create index kyc_submission_running on kyc_submission (asked_at) where status in ('pending', 'in_review');
-- One check is under way per person; another form is refused until it has ended.
drop index kyc_submission_pending;
create unique index kyc_submission_running_by_user on kyc_submission (user_id) where status in ('pending', 'in_review');

alter table payment add column asked_at timestamptz;
update payment set asked_at = updated_at;
alter table payment alter column asked_at set not null;
drop index payment_pending;
create index payment_pending on payment (asked_at) where status = 'pending';
-- needs_review: the provider captured another amount than was asked for. Nothing was credited and nobody is asked again;
-- capture_id names what an operator has to look up at the provider. The user sees it as pending.
alter table payment drop constraint payment_status_check;
alter table payment add constraint payment_status_check
  check (status in ('pending', 'completed', 'failed', 'needs_review'));
create index payment_needs_review on payment (updated_at) where status = 'needs_review';
