-- Owner: payments. Money that comes from cards and banks, money that leaves for banks, and what is compared with the
-- providers' books.

-- Bank accounts that people have linked. `token` means something to the provider alone. A removed one stays for what
-- is under way to or from it.
create table bank_account (
  id uuid primary key,
  user_id bigint not null,
  provider text not null,
  token text not null,
  fingerprint text not null,
  bank_name text not null,
  last4 text not null check (length(last4) between 1 and 4),
  currency text not null,
  country text not null,
  is_default boolean not null,
  linked_at timestamptz not null,
  removed_at timestamptz
);
create unique index bank_account_once on bank_account (user_id, provider, fingerprint) where removed_at is null;
create unique index bank_account_default on bank_account (user_id) where is_default and removed_at is null;

-- One attempt to link a bank account, on the provider's pages.
create table bank_link (
  id uuid primary key,
  user_id bigint not null,
  provider text not null,
  session_id text,
  status text not null check (status in ('pending', 'linked', 'canceled', 'failed')),
  bank_account_id uuid references bank_account,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  asked_at timestamptz not null
);
create index bank_link_pending on bank_link (asked_at) where status = 'pending';

-- Cards that people chose to keep, by the provider's token.
create table saved_card (
  id uuid primary key,
  user_id bigint not null,
  provider text not null,
  token text not null,
  fingerprint text not null,
  brand text not null,
  last4 text not null check (length(last4) = 4),
  exp_month int not null check (exp_month between 1 and 12),
  exp_year int not null,
  is_default boolean not null,
  saved_at timestamptz not null,
  removed_at timestamptz
);
create unique index saved_card_once on saved_card (user_id, provider, fingerprint) where removed_at is null;
create unique index saved_card_default on saved_card (user_id) where is_default and removed_at is null;

-- Payments are for the payer's wallet or for somebody else, by card, by bank, or by card beside the wallet.
alter table payment add column method text not null default 'card' check (method in ('card', 'bank', 'wallet_partial'));
alter table payment drop constraint payment_kind_check;
alter table payment rename column kind to purpose;
update payment set purpose = 'deposit';
alter table payment add check (purpose in ('deposit', 'send'));
alter table payment alter column method drop default;
-- reversed: it had come, and the card or the bank took it back.
alter table payment drop constraint payment_status_check;
alter table payment add constraint payment_status_check
  check (status in ('pending', 'completed', 'failed', 'reversed', 'needs_review'));
alter table payment
  add column recipient_id bigint,
  -- What the wallet gives to a send beside the card; it lies in the hold account while the payment is pending.
  add column wallet_part_minor numeric(38, 0) not null default 0 check (wallet_part_minor >= 0),
  -- The whole price as it was promised (the terms of a quote): of every send, and of a deposit that is converted.
  add column terms jsonb,
  add column quote_id uuid,
  add column description text not null default '',
  add column bank_account_id uuid references bank_account,
  add column saved_card_id uuid references saved_card,
  add column save_card boolean not null default false,
  -- Why it failed, in the provider's word for it.
  add column reason text,
  add constraint payment_of_two check ((purpose = 'send') = (recipient_id is not null)),
  add constraint payment_method_fits check (purpose = 'send' or method <> 'wallet_partial');
-- A quote is good for one payment.
create unique index payment_quote on payment (quote_id) where quote_id is not null and status <> 'failed';
create index payment_transaction on payment (transaction_id) where transaction_id is not null;
create index payment_session on payment (provider, session_id) where session_id is not null;

-- Money on its way to a bank account. It lies in the wallet's hold account while the payout is pending.
create table payout (
  id uuid primary key,
  user_id bigint not null,
  bank_account_id uuid not null references bank_account,
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null,
  -- returned: it had been completed, and the bank sent it back.
  status text not null check (status in ('pending', 'completed', 'failed', 'returned', 'needs_review')),
  provider text not null,
  provider_payout_id text,
  expected_on date not null,
  reason text,
  transaction_id uuid not null,
  idempotency_key uuid not null,
  request_hash bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  asked_at timestamptz not null,
  unique (user_id, idempotency_key)
);
create index payout_pending on payout (asked_at) where status = 'pending';
create unique index payout_at_provider on payout (provider, provider_payout_id) where provider_payout_id is not null;
create index payout_of_account on payout (bank_account_id, created_at);

-- What moved between a provider and us, by the provider's own id: one row for each movement that the ledger posted
-- against a settlement account, written in the same transaction. Reconciliation compares it with the provider's report.
create table settlement_line (
  provider text not null,
  id text not null,
  kind text not null check (kind in ('capture', 'debit', 'refund', 'chargeback', 'chargeback_reversal', 'debit_return',
    'payout', 'payout_return')),
  -- Signed, seen from us: above zero came in.
  amount_minor numeric(38, 0) not null check (amount_minor <> 0),
  currency text not null,
  -- The payment or payout.
  reference uuid not null,
  posting_id uuid not null,
  occurred_at timestamptz not null,
  primary key (provider, id)
);
create index settlement_line_reference on settlement_line (reference);
create index settlement_line_time on settlement_line (provider, occurred_at);

-- What a person has to look at: a difference between the provider's books and ours, money that nobody can place, a loss.
-- One open case for each subject; it is closed by itself when the difference has gone.
create table money_case (
  id uuid primary key,
  kind text not null check (kind in ('missing_here', 'missing_there', 'amount_differs', 'unplaced', 'loss', 'ledger_differs')),
  provider text not null,
  -- The provider's id of the movement, or the account's name.
  subject text not null,
  reference uuid,
  amount_minor numeric(38, 0),
  currency text,
  detail text not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  resolution text check ((resolution is null) = (closed_at is null))
);
create unique index money_case_open on money_case (kind, provider, subject) where closed_at is null;

-- A movement of money by card or bank can be announced in a user's list before anything was posted; it is the same row
-- that the posting then completes.
create function announce_transactions(reference uuid, posting uuid, at timestamptz, rows transaction_rows) returns void
language sql as $$
  insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id, from_wallet_id,
      to_wallet_id, description, source_amount, source_currency, target_amount, target_currency,
      stablecoin_amount, rate_numerator, rate_denominator, fee_amount, fee_currency, payment_source,
      payment_id, quote_id)
    select r.user_id, reference, posting, r.kind, 'PENDING', at, r.sender_id, r.recipient_id, r.wallet_id, r.from_wallet_id,
      r.to_wallet_id, r.description, r.source_amount, r.source_currency, r.target_amount, r.target_currency,
      r.stablecoin_amount, r.rate_numerator, r.rate_denominator, r.fee_amount, r.fee_currency, r.payment_source,
      r.payment_id, r.quote_id
      from unnest((rows).user_id, (rows).kind, (rows).sender_id, (rows).recipient_id, (rows).wallet_id,
        (rows).from_wallet_id, (rows).to_wallet_id, (rows).description, (rows).source_amount, (rows).source_currency,
        (rows).target_amount, (rows).target_currency, (rows).stablecoin_amount, (rows).rate_numerator,
        (rows).rate_denominator, (rows).fee_amount, (rows).fee_currency, (rows).payment_source, (rows).payment_id,
        (rows).quote_id) as r (user_id, kind, sender_id, recipient_id, wallet_id, from_wallet_id, to_wallet_id, description,
        source_amount, source_currency, target_amount, target_currency, stablecoin_amount, rate_numerator,
        rate_denominator, fee_amount, fee_currency, payment_source, payment_id, quote_id);
  select pg_notify('tern_user', string_agg(u::text, ',')) from unnest((rows).user_id) as u;
$$;

-- An announced transaction that came to nothing.
create function withdraw_announcement(reference uuid) returns void language sql as $$
  with ended as (
    update transaction set status = 'FAILED', xid = pg_current_xact_id() where id = reference and status = 'PENDING'
    returning user_id
  )
  select pg_notify('tern_user', string_agg(user_id::text, ',')) from ended having count(*) > 0;
$$;

-- An event may be about a payment, a payout or a linking.
alter table provider_event rename column payment_id to subject_id;
