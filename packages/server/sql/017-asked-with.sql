-- Owner: payments. An order to a provider that is given again is given with everything it was first given with.

-- The token of the bank account or the card that the order named: the account or card may have a newer one since.
alter table payout add column asked_token text;
alter table payment
  add column asked_token text,
  -- When the payer asked to stop a payment that the provider had not answered for yet.
  add column cancel_asked_at timestamptz;
create index payout_asked_token on payout (asked_token) where asked_token is not null;
create index payment_asked_token on payment (asked_token) where asked_token is not null;
