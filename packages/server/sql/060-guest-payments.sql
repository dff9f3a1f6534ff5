-- Owner: payments. Somebody without an account pays a request by card. The payment is the requester's, made by another.
alter table payment add column payer_name text check (length(payer_name) between 1 and 80);
alter table payment drop constraint payment_purpose_check;
alter table payment add constraint payment_purpose_check check (purpose in ('deposit', 'send', 'request'));
alter table payment add constraint payment_of_guest check ((purpose = 'request') = (payer_name is not null));
alter table payment add constraint payment_of_guest_by_card check (purpose <> 'request' or method = 'card');

-- Owner: requests. What a guest's payment is for, and what it counts against the limits of its email and its card.
create table guest_payment (
  payment_id uuid primary key references payment (id),
  request_id uuid not null references payment_request (id),
  -- What the requester gets, in the request's currency.
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  email text not null check (length(email) <= 254 and email = lower(email)),
  -- What the card pays, in US dollar cents.
  usd_minor numeric(38, 0) not null check (usd_minor > 0),
  -- The provider's mark of the card, once it is known; not every provider tells it.
  card_fingerprint text,
  -- Why the card was not charged although its bank agreed.
  refusal text check (refusal in ('request_closed', 'limit_exceeded')),
  created_at timestamptz not null
);
create index guest_payment_of_request on guest_payment (request_id);
create index guest_payment_of_email on guest_payment (email, created_at);
create index guest_payment_of_card on guest_payment (card_fingerprint, created_at) where card_fingerprint is not null;

-- A guest has no number, and pays by a payment.
alter table request_payment alter column payer_id drop not null;
alter table request_payment add column payment_id uuid unique references payment (id);
alter table request_payment add constraint request_payment_of_one check ((payer_id is null) = (payment_id is not null));

-- Sentences by which lists are searched and sorted have changed.
delete from transaction_index_position;
