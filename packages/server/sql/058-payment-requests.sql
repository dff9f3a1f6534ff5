-- Owner: requests. Who asks whom for how much, and what was paid of it. A link names the row; nothing it says counts.
create table payment_request (
  id uuid primary key,
  requester_id bigint not null references app_user (id),
  -- Only this person may pay; null: anybody with the link.
  payer_id bigint references app_user (id),
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null references ledger.currency (code),
  -- Null: the default, in the reader's language.
  description text check (length(description) between 1 and 200),
  -- What the requester calls themselves beside their verified name.
  name text check (length(name) <= 80),
  allows_parts boolean not null,
  -- Until the end, open; whether it was seen, or is paid in part, other columns say.
  status text not null default 'open' check (status in ('open', 'paid', 'expired', 'cancelled', 'declined')),
  paid_minor numeric(38, 0) not null default 0 check (paid_minor >= 0),
  -- Of payments that are held or on their way.
  reserved_minor numeric(38, 0) not null default 0 check (reserved_minor >= 0),
  idempotency_key uuid not null,
  request_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  closed_at timestamptz,
  seen_at timestamptz,
  opened integer not null default 0,
  accepted_for date,
  -- When the payer was reminded of the day they chose.
  accepted_reminder_at timestamptz,
  decline_reason text check (length(decline_reason) <= 200),
  reminded_at timestamptz,
  unique (requester_id, idempotency_key),
  constraint payment_request_of_two check (payer_id <> requester_id),
  constraint payment_request_not_overpaid check (paid_minor + reserved_minor <= amount_minor),
  constraint payment_request_paid_in_full check ((status = 'paid') = (paid_minor = amount_minor)),
  constraint payment_request_closed_once check ((status = 'open') = (closed_at is null)),
  constraint payment_request_reserved_while_open check (status = 'open' or reserved_minor = 0),
  constraint payment_request_answered_by_payer
    check (payer_id is not null or (accepted_for is null and decline_reason is null and status <> 'declined')),
  constraint payment_request_expires_later check (expires_at > created_at)
);
create index payment_request_of_requester on payment_request (requester_id, id);
create index payment_request_of_payer on payment_request (payer_id, id) where payer_id is not null;
create index payment_request_due on payment_request (expires_at) where status = 'open';
create index payment_request_accepted on payment_request (accepted_for)
  where status = 'open' and accepted_for is not null and accepted_reminder_at is null;

-- One payment of a request, in part or in full.
create table request_payment (
  -- Of the movement that paid it, or set its money aside.
  posting_id uuid primary key,
  request_id uuid not null references payment_request (id),
  -- Of payer and requester alike.
  transaction_id uuid not null unique,
  payer_id bigint not null references app_user (id),
  -- What the requester gets, in the request's currency.
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  -- What the payer pays for that, fee included.
  paid_minor numeric(38, 0) not null check (paid_minor > 0),
  paid_currency text not null references ledger.currency (code),
  status text not null check (status in ('processing', 'settled', 'released')),
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index request_payment_of_request on request_payment (request_id, created_at);
create index request_payment_of_payer on request_payment (payer_id, request_id);
