-- Warnings that senders see before they pay a payee whose pattern is typical of fraud, and their acknowledgements.
-- compatible

-- Numbers and words of the patterns. The newest version applies; docs/security.md describes them.
create table payee_warning_policy (
  version integer primary key check (version > 0),
  -- A payee first paid this long ago is known, and causes no warning but that about a safe account.
  known_days integer not null check (known_days > 0),
  -- Age of the payee's account below which it is new.
  new_account_days integer not null check (new_account_days > 0),
  -- Strangers who paid the payee within these days: their number, and the multiple of the usual number.
  strangers_days integer not null check (strangers_days > 0),
  strangers_from integer not null check (strangers_from > 1),
  strangers_times integer not null check (strangers_times > 1),
  -- Age up to which a dispute about a payment to the payee counts.
  reported_days integer not null check (reported_days > 0),
  -- Values in US dollar cents from which a payment to an unknown payee, or with a suspicious text, causes a warning.
  unknown_usd_minor numeric(38, 0) not null check (unknown_usd_minor >= 0),
  text_usd_minor numeric(38, 0) not null check (text_usd_minor >= 0),
  -- Share of the balance, and value in US dollar cents, from which a first payment is large.
  share_percent integer not null check (share_percent between 1 and 100),
  share_usd_minor numeric(38, 0) not null check (share_usd_minor >= 0),
  -- Time for which a refused or reported call counts.
  refused_call_hours integer not null check (refused_call_hours > 0),
  -- Time for which a warning and its acknowledgement apply.
  valid_minutes integer not null check (valid_minutes > 0),
  -- Phrases in descriptions by pattern, and words in names of payees that suggest an office (`office`), folded.
  words jsonb not null check (jsonb_typeof(words) = 'object')
);
insert into payee_warning_policy values (
  1, 30, 14, 7, 5, 4, 90, 20000, 2000, 50, 50000, 24, 15, '{
    "safe_account": ["safe account", "secure account", "protected account", "safe wallet", "secure wallet",
      "safe keeping", "safekeeping", "move my money to safety", "account at risk", "account under attack"],
    "tax": ["tax office", "tax refund", "tax debt", "tax fine", "overdue tax", "unpaid tax", "irs", "hmrc",
      "inland revenue", "customs fee", "customs duty", "arrest warrant", "bail"],
    "investment": ["crypto investment", "bitcoin investment", "investment", "trading platform", "trading account",
      "guaranteed return", "double your money", "forex", "crypto trading", "mining pool"],
    "release_fee": ["release fee", "unlock fee", "processing fee", "clearance fee", "inheritance", "lottery", "prize fee",
      "winnings", "recovery fee", "refund fee", "gift card", "gift cards", "anydesk", "teamviewer", "remote access"],
    "office": ["tern", "support", "helpdesk", "service desk", "customer service", "bank", "security team", "fraud team",
      "refund", "police", "tax office", "official"]
  }');

create table payee_warning (
  id uuid primary key,
  user_id bigint not null references app_user,
  payee_id bigint not null references app_user,
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null references ledger.currency,
  -- Patterns that the sender was shown, in their order.
  patterns text[] not null check (cardinality(patterns) > 0),
  policy_version integer not null references payee_warning_policy,
  -- Facts that caused the patterns. Never shown to the sender.
  facts jsonb not null check (jsonb_typeof(facts) = 'object'),
  shown_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > shown_at),
  -- Replaced by a later look at the same payee.
  superseded_at timestamptz,
  acknowledged_at timestamptz,
  -- Movement that the acknowledgement was used for.
  used_by uuid,
  constraint payee_warning_use check (used_by is null or acknowledged_at is not null)
);
create index payee_warning_open on payee_warning (user_id, expires_at) where superseded_at is null;
create index payee_warning_payee on payee_warning (payee_id);
create index payee_warning_shown on payee_warning (shown_at);
create index payee_warning_policy_version on payee_warning (policy_version);
create index payee_warning_currency on payee_warning (currency);

-- Ends the sender's room, so that sends are decided by facts, which include the warning.
create trigger forget_send_room after insert or update on payee_warning
  for each row execute function forget_send_room();
