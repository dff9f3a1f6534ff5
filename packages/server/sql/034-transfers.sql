-- Owner: transfers. A transfer that waits for a decision has a row. One that settles at once has none.

create table transfer (
  -- The id of the transaction that it is, or becomes.
  id uuid primary key,
  kind text not null check (kind in ('wallet_send', 'funded_send', 'exchange', 'payout')),
  state text not null check (state in ('awaiting_funding', 'held', 'processing', 'settled', 'failed', 'released')),
  sender_id bigint not null,
  recipient_id bigint,
  -- Of a funded send the payment, of a payout the payout.
  payment_id uuid,
  -- What is held, in minor units: the amount and the fee.
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null,
  -- What it counts against the limits of the day on which it is held, in US dollar cents.
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  -- Null for a payout, which has no price.
  locked_price jsonb,
  quote_id uuid,
  description text not null,
  request_hash bytea not null,
  hold_reason text not null check (hold_reason in ('undo', 'scheduled', 'review')),
  held_until timestamptz not null,
  release_reason text check (release_reason in ('cancelled', 'rejected', 'expired')),
  -- An operator's name, 'sender' or 'deadline', and what the operator said about it.
  decided_by text,
  decision_note text,
  created_at timestamptz not null,
  held_at timestamptz,
  decided_at timestamptz,
  updated_at timestamptz not null,
  constraint transfer_parties check ((recipient_id is not null) = (kind in ('wallet_send', 'funded_send'))),
  constraint transfer_payment check ((payment_id is not null) = (kind in ('funded_send', 'payout'))),
  constraint transfer_price check ((locked_price is null) = (kind = 'payout')),
  constraint transfer_released check ((state = 'released') = (release_reason is not null)),
  constraint transfer_decided check ((decided_at is null) = (decided_by is null)),
  constraint transfer_held check (
    case when state = 'held' then held_at is not null and decided_at is null
         when state = 'awaiting_funding' then held_at is null
         when state in ('settled', 'released') then held_at is not null and decided_at is not null
         else true end)
);
create index transfer_due on transfer (held_until) where state = 'held';

-- Its transfer is held once the money has come.
alter table payment add column holds_transfer boolean not null default false;

alter table payout drop constraint payout_status_check;
alter table payout add constraint payout_status_check
  check (status in ('held', 'pending', 'completed', 'failed', 'returned', 'needs_review'));
