-- Payments in and payouts through providers, bank accounts and cards, and reconciliation with the providers' reports.

-- Linked bank accounts. A removed one is kept for payments and payouts in progress.
create table bank_account (
  id uuid primary key,
  user_id bigint not null,
  provider text not null,
  -- Identifies the account to its provider only.
  token text not null,
  fingerprint text not null,
  bank_name text not null,
  last4 text not null check (length(last4) between 1 and 4),
  currency text not null,
  country text not null,
  is_default boolean not null,
  linked_at timestamptz not null,
  removed_at timestamptz,
  -- Whether the bank returned the holder's name; null until it is queried.
  holder_told boolean,
  holder_asked_at timestamptz
);
create unique index bank_account_once on bank_account (user_id, provider, fingerprint) where removed_at is null;
create unique index bank_account_default on bank_account (user_id) where is_default and removed_at is null;
create index bank_account_unasked on bank_account (holder_asked_at nulls first, id)
  where holder_told is null and removed_at is null;
create trigger people_are_there before insert on bank_account
  for each row execute function refuse_deleted_user('user_id');

-- Attempts to link a bank account on the provider's pages.
create table bank_link (
  id uuid primary key,
  user_id bigint not null,
  provider text not null,
  session_id text,
  status text not null check (status in ('pending', 'linked', 'canceled', 'failed')),
  bank_account_id uuid references bank_account,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_polled_at timestamptz not null,
  -- Session that started the attempt, the only one that may complete it.
  login_session_id uuid,
  -- When that session's browser returned from the bank's page: the account is not linked before.
  returned_at timestamptz,
  failed_because text check (failed_because = 'holder_differs'),
  -- Withdrawal that the user confirmed together with the link.
  withdrawal_minor bigint check (withdrawal_minor > 0),
  withdrawal_fee_minor bigint check (withdrawal_fee_minor >= 0),
  withdrawal_currency text,
  withdrawal_confirmed_at timestamptz,
  withdrawal_id uuid,
  constraint withdrawal_is_whole check (
    num_nulls(withdrawal_minor, withdrawal_fee_minor, withdrawal_currency, withdrawal_confirmed_at) in (0, 4)
    and (withdrawal_id is null or withdrawal_minor is not null))
);
create index bank_link_pending on bank_link (last_polled_at) where status = 'pending';
create trigger people_are_there before insert on bank_link
  for each row execute function refuse_deleted_user('user_id');

create table saved_card (
  id uuid primary key,
  user_id bigint not null,
  provider text not null,
  -- Identifies the card to its provider only.
  token text not null,
  fingerprint text not null,
  brand text not null,
  last4 text not null check (length(last4) = 4),
  exp_month integer not null check (exp_month between 1 and 12),
  exp_year integer not null,
  is_default boolean not null,
  saved_at timestamptz not null,
  removed_at timestamptz
);
create unique index saved_card_once on saved_card (user_id, provider, fingerprint) where removed_at is null;
create unique index saved_card_default on saved_card (user_id) where is_default and removed_at is null;
create trigger people_are_there before insert on saved_card
  for each row execute function refuse_deleted_user('user_id');

-- Removed cards and bank accounts whose token must still be invalidated at the provider.
create table detached_instrument (
  id uuid primary key,
  provider text not null,
  kind text not null check (kind in ('bank_account', 'saved_card')),
  token text not null,
  last_polled_at timestamptz not null
);
create index detached_instrument_polled on detached_instrument (last_polled_at);

-- Payments by card or bank: deposits, sends, and guests' payments of requests.
create table payment (
  id uuid primary key,
  user_id bigint not null,
  purpose text not null check (purpose in ('deposit', 'send', 'request')),
  status text not null check (status in ('pending', 'completed', 'failed', 'reversed', 'needs_review')),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null,
  provider text not null,
  session_id text,
  redirect_url text,
  capture_id text,
  idempotency_key uuid not null,
  request_hash bytea not null,
  transaction_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_polled_at timestamptz not null,
  -- `wallet_partial`: by card and wallet together.
  method text not null check (method in ('card', 'bank', 'wallet_partial')),
  recipient_id bigint,
  -- Part of a send paid from the wallet; in the hold account while the payment is pending.
  wallet_part_minor numeric(38, 0) not null default 0 check (wallet_part_minor >= 0),
  -- Promised price of a send or a converted deposit.
  locked_price jsonb,
  quote_id uuid,
  description text not null default '',
  bank_account_id uuid references bank_account,
  saved_card_id uuid references saved_card,
  save_card boolean not null default false,
  -- Reason why it failed.
  reason text,
  -- Token in the first request to the provider, which retries must repeat.
  submitted_token text,
  -- When the payer cancelled before the provider answered: it is not submitted again.
  cancel_requested_at timestamptz,
  -- Whether its transfer is held once the money arrives.
  holds_transfer boolean not null default false,
  -- Day whose limits it counts against, and the US dollar cents pulled and sent; null: nothing.
  counted_on date,
  pulled_usd_minor numeric(38, 0) check (pulled_usd_minor >= 0),
  sent_usd_minor numeric(38, 0) check (sent_usd_minor >= 0),
  -- Whether the payer has a transaction for it.
  is_listed boolean not null default false,
  -- Whether the recipient of its send has one.
  is_announced boolean not null default false,
  -- Name given by a guest.
  payer_name text check (length(payer_name) between 1 and 80),
  -- When the unconditional promise of the price ends; null: it holds until the money arrives.
  price_held_until timestamptz,
  -- Lowest credit to the recipient, set by the sender of a send that is priced when its money arrives.
  minimum_target_minor numeric(38, 0) check (minimum_target_minor > 0),
  constraint payment_counts_on_a_day check (counted_on is not null or pulled_usd_minor is null
    and sent_usd_minor is null),
  constraint payment_method_fits check (purpose = 'send' or method <> 'wallet_partial'),
  constraint payment_of_guest check ((purpose = 'request') = (payer_name is not null)),
  constraint payment_of_guest_by_card check (purpose <> 'request' or method = 'card'),
  constraint payment_of_two check ((purpose = 'send') = (recipient_id is not null)),
  constraint payment_priced_at_settlement check (minimum_target_minor is null or purpose = 'send' and method = 'bank'),
  constraint payment_reason_is_code check (reason ~ '^[a-z_]+$'),
  unique (user_id, idempotency_key)
);
create index payment_pending on payment (last_polled_at) where status = 'pending';
create index payment_needs_review on payment (updated_at) where status = 'needs_review';
-- A quote is valid for one payment.
create unique index payment_quote on payment (quote_id) where quote_id is not null and status <> 'failed';
create index payment_transaction on payment (transaction_id) where transaction_id is not null;
create index payment_session on payment (provider, session_id) where session_id is not null;
create index payment_submitted_token on payment (submitted_token) where submitted_token is not null;
create index payment_of_bank_account on payment (bank_account_id) where method = 'bank' and status = 'completed';
create trigger people_are_there before insert on payment
  for each row execute function refuse_deleted_user('user_id', 'recipient_id');

-- Refused requests to pay, so that a repeated request gets the same answer.
create table refused_payment (
  user_id bigint not null,
  idempotency_key uuid not null,
  request_hash bytea not null,
  code text not null,
  details jsonb not null,
  refused_at timestamptz not null,
  primary key (user_id, idempotency_key),
  constraint refused_payment_is_coded check (code ~ '^[a-z_]+$' and not details ? 'detail'
    and not jsonb_path_exists(details, '$."errors"[*]."message"'::jsonpath))
);

-- Largest adverse market move at which a promised price is kept for money that arrives after `price_held_until`.
create table late_price_policy (
  only_one boolean primary key default true check (only_one),
  max_adverse_parts_per_million integer not null check (max_adverse_parts_per_million between 0 and 1000000)
);
insert into late_price_policy (max_adverse_parts_per_million) values (5000);

-- Fee for withdrawing money paid in by card, which covers the cost of the card payment. The newest version applies.
create table withdrawal_cost_policy (
  version integer primary key check (version > 0),
  -- Share of the card money in a withdrawal.
  basis_points integer not null check (basis_points between 0 and 1000),
  -- Money paid in by card longer ago is free of the fee.
  card_days integer not null check (card_days >= 0)
);
-- The fee is zero unless an operator sets one.
insert into withdrawal_cost_policy (version, basis_points, card_days) values
  (1, 250, 60),
  (2, 0, 60);

-- Payouts to bank accounts. The money is in the wallet's hold account until the payout completes.
create table payout (
  id uuid primary key,
  user_id bigint not null,
  bank_account_id uuid not null references bank_account,
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null,
  -- `returned`: completed, then returned by the bank.
  status text not null check (status in ('held', 'pending', 'completed', 'failed', 'returned', 'needs_review')),
  provider text not null,
  provider_payout_id text,
  expected_on date not null,
  reason text,
  transaction_id uuid not null,
  idempotency_key uuid not null,
  request_hash bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  last_polled_at timestamptz not null,
  -- Token in the request to the provider; the bank account may have a newer one.
  submitted_token text,
  -- US dollar cents that count against limits.
  usd_minor numeric(38, 0) not null default 0 check (usd_minor >= 0),
  -- Fee on top of the amount.
  fee_minor numeric(38, 0) not null default 0 check (fee_minor >= 0),
  -- Part of the amount that is card money subject to the fee.
  card_minor numeric(38, 0) not null default 0,
  cost_version integer references withdrawal_cost_policy,
  -- Held deposit that this payout returns to the paying account, from its hold and under its transaction.
  returns_payment_id uuid references payment,
  check (card_minor between 0 and amount_minor),
  constraint payout_fee_is_of_card_money check (fee_minor = 0 or card_minor > 0),
  constraint payout_reason_is_code check (reason ~ '^[a-z_]+$'),
  constraint payout_return_is_free check (returns_payment_id is null or fee_minor = 0 and usd_minor = 0),
  unique (user_id, idempotency_key)
);
create index payout_pending on payout (last_polled_at) where status = 'pending';
create unique index payout_at_provider on payout (provider, provider_payout_id) where provider_payout_id is not null;
create index payout_of_account on payout (bank_account_id, created_at);
create index payout_submitted_token on payout (submitted_token) where submitted_token is not null;
create unique index payout_return on payout (returns_payment_id) where returns_payment_id is not null;
create trigger people_are_there before insert on payout
  for each row execute function refuse_deleted_user('user_id');

-- Processed events of providers, by the provider's id. A repeated event has no effect.
create table provider_event (
  provider text not null,
  id text not null,
  subject_id uuid,
  received_at timestamptz not null,
  outcome text not null,
  primary key (provider, id),
  constraint provider_event_outcome_is_code check (outcome ~ '^[a-z_]+$')
);
create index provider_event_received_at on provider_event (received_at);

-- Movements posted against a provider's settlement account, by the provider's id, written in the transaction of the
-- posting. Reconciliation compares them with the provider's report.
create table settlement_line (
  provider text not null,
  id text not null,
  kind text not null check (kind in ('capture', 'debit', 'refund', 'chargeback', 'chargeback_reversal',
    'debit_return', 'payout', 'payout_return')),
  -- Positive for incoming money.
  amount_minor numeric(38, 0) not null check (amount_minor <> 0),
  currency text not null,
  -- Id of the payment or payout.
  reference uuid not null,
  posting_id uuid not null,
  occurred_at timestamptz not null,
  -- For a `chargeback_reversal`: id and kind of the line whose money it returned, if the provider names it.
  undoes text,
  undone_kind text check (undone_kind in ('refund', 'chargeback', 'debit_return')),
  primary key (provider, id),
  constraint settlement_line_undoes check (kind = 'chargeback_reversal' or undoes is null and undone_kind is null)
);
create index settlement_line_reference on settlement_line (reference);
create index settlement_line_time on settlement_line (provider, occurred_at);

-- Exceptions for operators: differences between our books and a provider's, unmatched money, and losses. A subject has
-- at most one open exception of a kind, which closes automatically when the difference is gone.
create table reconciliation_exception (
  id uuid primary key,
  kind text not null check (kind in ('missing_internal', 'missing_external', 'amount_differs', 'unmatched', 'loss',
    'ledger_differs')),
  provider text not null,
  -- Id of the movement at the provider, id of a payment, payout or dispute, or name of an account.
  subject text not null,
  reference uuid,
  amount_minor numeric(38, 0),
  currency text,
  detail text not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  resolution text,
  -- Earliest possible time of the movement. Reconciliation compares from then on while the exception is open.
  happened_at timestamptz,
  -- Closed by an operator: the same difference opens no new exception.
  resolved_manually boolean not null default false,
  -- When `npx tern reconcile` first listed it.
  reported_at timestamptz,
  -- When and by whom it was taken up, and why it remains open.
  taken_up_at timestamptz,
  taken_up_by text,
  taken_up_because text,
  -- When it becomes overdue again; null: never.
  taken_up_until timestamptz,
  params jsonb not null default '{}'::jsonb,
  resolution_note text,
  -- User whose money a loss blocks while it is open; null for other kinds.
  owner_id bigint references app_user,
  constraint reconciliation_exception_closed check ((resolution is null) = (closed_at is null)),
  constraint reconciliation_exception_is_coded check (detail ~ '^[a-z_]+$' and resolution ~ '^[a-z_]+$'),
  constraint reconciliation_exception_note_is_manual check (resolution_note is null or resolution = 'manual'),
  constraint reconciliation_exception_resolved check (closed_at is not null or not resolved_manually),
  constraint reconciliation_exception_taken_up check ((taken_up_at is null) = (taken_up_by is null)
    and (taken_up_at is null) = (taken_up_because is null) and (taken_up_until is null or taken_up_at is not null))
);
create unique index reconciliation_exception_open on reconciliation_exception (kind, provider, subject)
  where closed_at is null;
create index reconciliation_exception_resolved_manually on reconciliation_exception (kind, provider, subject)
  where resolved_manually;
create index reconciliation_exception_open_loss on reconciliation_exception (reference)
  where kind = 'loss' and closed_at is null;
-- Read by every movement: no money leaves while a loss of its owner is open.
create index reconciliation_exception_open_loss_of on reconciliation_exception (owner_id)
  where kind = 'loss' and closed_at is null;

create function set_loss_owner() returns trigger language plpgsql
set search_path = pg_catalog, public, pg_temp as $$
begin
  new.owner_id := coalesce((select p.user_id from payment p where p.id = new.reference),
    (select d.user_id from dispute d where d.id = new.reference));
  return new;
end
$$;
create trigger loss_has_owner before insert on reconciliation_exception
  for each row when (new.kind = 'loss') execute function set_loss_owner();
call seal_table('reconciliation_exception', '{id}', '{kind, provider, subject, reference, amount_minor, currency,
  opened_at, happened_at, closed_at, resolution, resolved_manually}');

create table reconciliation_run (
  id uuid primary key,
  provider text not null,
  -- The run compared movements with from_at <= time < until_at.
  from_at timestamptz not null,
  until_at timestamptz not null,
  finished_at timestamptz not null,
  compared integer not null,
  taken_in integer not null,
  -- Movements without an answer from the provider. A run is complete only without any.
  unresolved integer not null,
  cases_opened integer not null,
  cases_closed integer not null
);
create index reconciliation_run_last on reconciliation_run (provider, until_at) where unresolved = 0;

-- Returns the open losses that block a user's money, from reversed payments and from disputes.
create function open_losses_of(person bigint) returns setof reconciliation_exception language sql stable as $$
  select e.* from reconciliation_exception e where e.owner_id = person and e.kind = 'loss' and e.closed_at is null
$$;
