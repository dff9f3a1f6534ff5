-- Verification of payees before withdrawals, and payouts that their provider converts from another currency.
-- compatible

-- Outcomes of asking a bank whether an account belongs to its holder: evidence of what was known before money left.
create table payee_check (
  id uuid primary key,
  user_id bigint not null,
  bank_account_id uuid not null references bank_account,
  -- Provider that asked the bank: the one that linked the account.
  provider text not null,
  scheme text not null check (scheme in ('confirmation_of_payee', 'verification_of_payee', 'bank_lookup', 'none')),
  result text not null check (result in ('match', 'close_match', 'no_match', 'not_possible')),
  -- Keyed hash of the verified name and the account's token; the outcome is stale once either changes.
  subject_hash bytea not null,
  -- Sealed name known to the bank, of close matches; deleted with the account.
  known_name bytea,
  -- Provider's id of the check.
  reference text,
  checked_at timestamptz not null,
  valid_until timestamptz not null,
  -- When the account holder was first told the outcome.
  told_at timestamptz,
  unique (id, bank_account_id, result),
  constraint payee_check_names_close_matches check (known_name is null or result = 'close_match')
);
create index payee_check_newest on payee_check (bank_account_id, checked_at);
create index payee_check_of_user on payee_check (user_id);
create index payee_check_age on payee_check (checked_at);
create trigger people_are_there before insert on payee_check
  for each row execute function refuse_deleted_user('user_id');

-- The check that a payout relies on, and the account holder's answer to it: `accepted` a close match, or
-- `proven` by a step-up confirmation of this account, amount and outcome. A mismatch without an answer cannot be stored.
alter table payout
  add column payee_check_id uuid,
  add column payee_result text,
  add column payee_answer text check (payee_answer in ('not_needed', 'accepted', 'proven')),
  add column payee_answered_at timestamptz,
  add constraint payout_payee_check foreign key (payee_check_id, bank_account_id, payee_result)
    references payee_check (id, bank_account_id, result) on delete set null (payee_check_id),
  add constraint payout_mismatch_is_answered check (
    case payee_result when 'no_match' then coalesce(payee_answer, '') = 'proven'
      when 'close_match' then coalesce(payee_answer, '') in ('accepted', 'proven') else true end),
  add constraint payout_payee_is_whole check (
    (payee_result is null) = (payee_answer is null) and (payee_answer is null) = (payee_answered_at is null));
create index payout_payee_check on payout (payee_check_id) where payee_check_id is not null;

-- Costs and refunds of payouts that their provider converted from a currency we hold there.
create table payout_conversion (
  payout_id uuid not null references payout,
  kind text not null check (kind in ('payout', 'payout_return')),
  -- Amount of the payout.
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null,
  -- Amount debited from, or for a return credited to, our account at the provider.
  cost_minor numeric(38, 0) not null check (cost_minor > 0),
  cost_currency text not null check (cost_currency <> currency),
  posting_id uuid not null unique,
  converted_at timestamptz not null,
  primary key (payout_id, kind)
);

insert into ledger.permitted_move (from_kind, to_kind, code, same_owner) values
  ('payout_settlement', 'bridge', 'hedge', false),
  ('bridge', 'payout_settlement', 'hedge', false);

-- A link can also fail because the account is linked already.
alter table bank_link drop constraint bank_link_failed_because_check,
  add constraint bank_link_failed_because_check check (failed_because in ('holder_differs', 'linked_already'));
