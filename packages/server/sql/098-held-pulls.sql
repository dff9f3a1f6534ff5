-- Owner: payments. Money from a bank account whose holder a list may mean waits on hold, and goes back there when it is confirmed.

-- A deposit is a transfer while it is held: its sender is the payer, its payment_id the payment that brought it.
alter table transfer drop constraint transfer_kind_check;
alter table transfer add constraint transfer_kind_check
  check (kind in ('wallet_send', 'funded_send', 'exchange', 'payout', 'deposit'));
alter table transfer drop constraint transfer_payment;
alter table transfer add constraint transfer_payment
  check ((payment_id is not null) = (kind in ('funded_send', 'payout', 'deposit')));
-- Only a deposit that is converted has a price.
alter table transfer drop constraint transfer_price;
alter table transfer add constraint transfer_price
  check (kind = 'deposit' or (locked_price is null) = (kind = 'payout'));
-- `returned`: it went back to the bank account that it came from.
alter table transfer drop constraint transfer_release_reason_check;
alter table transfer add constraint transfer_release_reason_check
  check (release_reason in ('cancelled', 'rejected', 'expired', 'returned') and (release_reason <> 'returned' or kind = 'deposit'));
create unique index transfer_held_deposit on transfer (payment_id) where kind = 'deposit';

-- A payout that gives a held deposit back to the account that paid it; it leaves the hold of that deposit, and has its transaction.
alter table payout add column returns_payment_id uuid references payment (id);
create unique index payout_return on payout (returns_payment_id) where returns_payment_id is not null;
alter table payout add constraint payout_return_is_free check (returns_payment_id is null or (fee_minor = 0 and usd_minor = 0));

-- Whether the bank told whose account it is; null while nobody has asked, of accounts linked before their holders were screened.
alter table bank_account add column holder_told boolean;
alter table bank_account add column holder_asked_at timestamptz;
update bank_account b set holder_told = true where exists (select from screening_counterparty c where c.id = b.id);
create index bank_account_unasked on bank_account (holder_asked_at nulls first, id) where holder_told is null and removed_at is null;
