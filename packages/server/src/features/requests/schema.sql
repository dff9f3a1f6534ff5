-- Payment requests and their payments by members and guests, and bills split into requests.

create table payment_request (
  id uuid primary key,
  requester_id bigint not null references app_user,
  -- The only user who may pay; null: anyone with the link.
  payer_id bigint references app_user,
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null references ledger.currency,
  -- Null: a default text in the reader's language.
  description text check (length(description) between 1 and 200),
  -- Name given by the requester, shown beside the verified name.
  name text check (length(name) <= 80),
  allows_parts boolean not null,
  -- `open` until its end, also when seen or partly paid.
  status text not null default 'open' check (status in ('open', 'paid', 'expired', 'cancelled', 'declined')),
  paid_minor numeric(38, 0) not null default 0 check (paid_minor >= 0),
  -- Sum of pending and held payments.
  reserved_minor numeric(38, 0) not null default 0 check (reserved_minor >= 0),
  idempotency_key uuid not null,
  request_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  closed_at timestamptz,
  seen_at timestamptz,
  -- Count of times it was opened.
  opened integer not null default 0,
  -- Day on which the payer promised to pay.
  accepted_for date,
  -- When the payer was reminded of that day.
  accepted_reminder_at timestamptz,
  decline_reason text check (length(decline_reason) <= 200),
  reminded_at timestamptz,
  constraint payment_request_answered_by_payer check (payer_id is not null or accepted_for is null
    and decline_reason is null and status <> 'declined'),
  constraint payment_request_closed_once check ((status = 'open') = (closed_at is null)),
  constraint payment_request_expires_later check (expires_at > created_at),
  constraint payment_request_not_overpaid check (paid_minor + reserved_minor <= amount_minor),
  constraint payment_request_of_two check (payer_id <> requester_id),
  constraint payment_request_paid_in_full check ((status = 'paid') = (paid_minor = amount_minor)),
  constraint payment_request_reserved_while_open check (status = 'open' or reserved_minor = 0),
  unique (requester_id, idempotency_key)
);
create index payment_request_of_requester on payment_request (requester_id, id);
create index payment_request_of_payer on payment_request (payer_id, id) where payer_id is not null;
create index payment_request_due on payment_request (expires_at) where status = 'open';
create index payment_request_accepted on payment_request (accepted_for)
  where status = 'open' and accepted_for is not null and accepted_reminder_at is null;
create trigger people_are_there before insert on payment_request
  for each row execute function refuse_deleted_user('requester_id', 'payer_id');
call seal_table('payment_request', '{id}',
  '{requester_id, payer_id, amount_minor, currency, allows_parts, created_at, expires_at}');

-- Payments of requests, in part or in full.
create table request_payment (
  -- Posting that paid it or reserved its money.
  posting_id uuid primary key,
  request_id uuid not null references payment_request,
  -- Shared by the transactions of payer and requester.
  transaction_id uuid not null unique,
  -- Null for a guest.
  payer_id bigint references app_user,
  -- Credit to the requester, in the request's currency.
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  -- Debit of the payer, fee included.
  paid_minor numeric(38, 0) not null check (paid_minor > 0),
  paid_currency text not null references ledger.currency,
  status text not null check (status in ('processing', 'settled', 'released')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Set if paid by card or bank.
  payment_id uuid unique references payment,
  constraint request_payment_has_origin check (payer_id is not null or payment_id is not null)
);
create index request_payment_of_request on request_payment (request_id, created_at);
create index request_payment_of_payer on request_payment (payer_id, request_id);

-- Bills split among a user and others, each of whom gets a request.
create table split (
  id uuid primary key,
  user_id bigint not null references app_user,
  total_minor numeric(38, 0) not null check (total_minor > 0),
  currency text not null references ledger.currency,
  description text check (length(description) between 1 and 200),
  split_by text not null check (split_by in ('equal', 'shares', 'amounts')),
  -- Part of the user; null: the others pay everything.
  own_minor numeric(38, 0),
  own_shares integer check (own_shares between 1 and 1000),
  -- Count of requests.
  people integer not null check (people between 1 and 30),
  idempotency_key uuid not null,
  request_hash bytea not null,
  created_at timestamptz not null,
  constraint split_between_people check (people + (own_minor is not null)::integer between 2 and 30),
  constraint split_own_part check (own_minor > 0 and own_minor < total_minor),
  constraint split_own_shares check ((own_shares is not null) = (split_by = 'shares' and own_minor is not null)),
  unique (user_id, idempotency_key)
);
create index split_of_user on split (user_id, id);

-- Requests of a split, in its order.
create table split_part (
  split_id uuid not null references split,
  position integer not null check (position between 1 and 30),
  request_id uuid not null unique references payment_request,
  -- Null unless split by shares.
  shares integer check (shares between 1 and 1000),
  primary key (split_id, position)
);

-- Guests' payments of requests, which count against the limits of their email and card.
create table guest_payment (
  payment_id uuid primary key references payment,
  request_id uuid not null references payment_request,
  -- Credit to the requester, in the request's currency.
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  email text not null check (length(email) <= 254 and email = lower(email)),
  -- Card payment in US dollar cents.
  usd_minor numeric(38, 0) not null check (usd_minor > 0),
  -- Identifies the card at its provider; null until known, and at providers without it.
  card_fingerprint text,
  -- Reason why the card was not charged although its bank authorized the payment.
  refusal text check (refusal in ('request_closed', 'limit_exceeded', 'price_moved', 'not_accepted')),
  created_at timestamptz not null
);
create index guest_payment_of_request on guest_payment (request_id);
create index guest_payment_of_email on guest_payment (email, created_at);
create index guest_payment_of_card on guest_payment (card_fingerprint, created_at) where card_fingerprint is not null;
call seal_table('guest_payment', '{payment_id}', '{request_id, amount_minor, usd_minor, refusal, created_at}');
