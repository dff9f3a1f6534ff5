-- Compares customers' money with the designated accounts in which it is safeguarded, day by day.
-- compatible
alter table reconciliation_exception drop constraint reconciliation_exception_kind_check,
  add constraint reconciliation_exception_kind_check check (kind in ('missing_internal', 'missing_external',
    'amount_differs', 'unmatched', 'loss', 'ledger_differs', 'issuer_warning', 'safeguarding'));

-- Compared days, by designated account. A currency without an account has rows of the bank `none`.
create table safeguarding_day (
  day date not null,
  bank text not null,
  currency text not null references ledger.currency,
  -- Customers' money in wallets and on hold at the end of the day (UTC).
  requirement_minor numeric(38, 0) not null,
  -- Balance at the end of the day by our records: providers' transfers and our own.
  records_minor numeric(38, 0) not null,
  -- Balances by the bank's statement.
  opening_minor numeric(38, 0) not null,
  closing_minor numeric(38, 0) not null,
  compared_at timestamptz not null,
  primary key (day, bank, currency)
);

-- Entries of the banks' statements, by the banks' ids.
create table safeguarding_entry (
  bank text not null,
  id text not null,
  currency text not null references ledger.currency,
  -- Positive for incoming money.
  amount_minor numeric(38, 0) not null check (amount_minor <> 0),
  -- Id of a provider's transfer, of one of ours, or of the entry that it corrects.
  reference text,
  booked_on date not null,
  value_on date not null,
  primary key (bank, id)
);

create table safeguarding_finding (
  id uuid primary key,
  -- First day whose comparison found it.
  day date not null,
  bank text not null,
  -- Null for a day that could not be compared.
  currency text references ledger.currency,
  kind text not null check (kind in ('shortfall', 'excess', 'late_posting', 'not_compared')),
  cause text not null check (cause in ('unknown_entry', 'duplicate', 'wrong_currency', 'amount_differs', 'balance',
    'opening', 'no_account', 'posted_late', 'no_statement', 'no_answer', 'account_missing', 'not_reconciled')),
  -- Id of an entry or of a transfer, or the day.
  subject text not null,
  -- What the bank has beyond our records; below zero if it has less.
  amount_minor numeric(38, 0),
  found_at timestamptz not null,
  -- When an open finding becomes notifiable.
  due_at timestamptz not null,
  notifiable_at timestamptz,
  -- Day whose comparison did not find it again.
  ended_on date,
  ended_at timestamptz,
  constraint safeguarding_finding_has_amount check ((currency is null) = (amount_minor is null)
    and (kind = 'not_compared') = (amount_minor is null)),
  constraint safeguarding_finding_ended check ((ended_on is null) = (ended_at is null))
);
create unique index safeguarding_finding_open on safeguarding_finding (bank, cause, subject) where ended_at is null;

-- Transfers between the operator's own account and a designated account.
create table safeguarding_transfer (
  id uuid primary key,
  bank text not null,
  currency text not null references ledger.currency,
  -- Positive into the designated account.
  amount_minor numeric(38, 0) not null check (amount_minor <> 0),
  -- Day whose requirement it meets.
  day date not null,
  -- Finding whose money it tops up or takes out; null for the daily transfer.
  finding_id uuid unique references safeguarding_finding,
  ordered_by text,
  because text,
  ordered_on date not null,
  ordered_at timestamptz not null,
  -- When the bank accepted it. Orders without an answer are repeated.
  accepted_at timestamptz,
  constraint safeguarding_transfer_has_reason check ((finding_id is null) = (ordered_by is null)
    and (finding_id is null) = (because is null))
);
create unique index safeguarding_transfer_daily on safeguarding_transfer (day, bank, currency) where finding_id is null;
