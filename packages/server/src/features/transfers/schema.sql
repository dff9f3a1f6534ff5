-- Transfers that are or were held before they settle, undo windows, tracking links, and holds by street mode.

create table transfer (
  -- Also the id of its transaction.
  id uuid primary key,
  kind text not null check (kind in ('wallet_send', 'funded_send', 'exchange', 'payout', 'deposit')),
  state text not null check (state in ('awaiting_funding', 'held', 'processing', 'settled', 'failed', 'released')),
  sender_id bigint not null,
  recipient_id bigint,
  -- Payment of a funded send or deposit, or payout.
  payment_id uuid,
  -- Amount held, fee included.
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null,
  -- US dollar cents that count against the limits of its day.
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  -- Null for a payout, and for a deposit without conversion.
  locked_price jsonb,
  quote_id uuid,
  description text not null,
  request_hash bytea not null,
  hold_reason text not null check (hold_reason in ('undo', 'scheduled', 'review', 'compliance', 'street_mode')),
  held_until timestamptz not null,
  release_reason text,
  -- 'sender', 'deadline', or the operator's name.
  decided_by text,
  decision_note text,
  created_at timestamptz not null,
  held_at timestamptz,
  decided_at timestamptz,
  updated_at timestamptz not null,
  constraint transfer_decided check ((decided_at is null) = (decided_by is null)),
  constraint transfer_description_is_code check (kind in ('wallet_send', 'funded_send')
    or description ~ '^[a-z_]+( \{.*\})?$'),
  constraint transfer_held check (
    case
      when state = 'held' then held_at is not null and decided_at is null
      when state = 'awaiting_funding' then held_at is null
      when state in ('settled', 'released') then held_at is not null and decided_at is not null
      else true
    end),
  constraint transfer_parties check ((recipient_id is not null) = (kind in ('wallet_send', 'funded_send'))),
  constraint transfer_payment check ((payment_id is not null) = (kind in ('funded_send', 'payout', 'deposit'))),
  constraint transfer_price check (kind = 'deposit' or (locked_price is null) = (kind = 'payout')),
  constraint transfer_release_reason_check check (release_reason in ('cancelled', 'rejected', 'expired', 'returned')
    and (release_reason <> 'returned' or kind = 'deposit')),
  constraint transfer_released check ((state = 'released') = (release_reason is not null))
);
create index transfer_due on transfer (held_until) where state = 'held';
-- Quotes that are kept for held transfers.
create index transfer_undecided_quote on transfer (quote_id)
  where quote_id is not null and state in ('awaiting_funding', 'held');
create index transfer_held_for_compliance on transfer (sender_id) where state = 'held' and hold_reason = 'compliance';
create unique index transfer_held_deposit on transfer (payment_id) where kind = 'deposit';

create function refuse_change_of_held_quote() returns trigger language plpgsql as $$
begin
  raise exception 'the quote of transfer % is kept once its money has come', old.id;
end
$$;
create trigger quote_is_kept before update of quote_id on transfer
  for each row when (old.state <> 'awaiting_funding' and old.quote_id is distinct from new.quote_id)
  execute function refuse_change_of_held_quote();
create trigger people_are_there before insert on transfer
  for each row execute function refuse_deleted_user('sender_id', 'recipient_id');
call seal_table('transfer', '{id}', '{kind, state, sender_id, recipient_id, payment_id, amount_minor, currency,
  usd_minor, locked_price, quote_id, hold_reason, held_until, release_reason, decided_by, decision_note, created_at,
  held_at, decided_at}');

-- How long senders can undo their sends, and to which payees that applies.
create table undo_window (
  user_id bigint primary key references app_user,
  seconds integer not null check (seconds between 0 and 1800),
  applies_to text not null check (applies_to in ('new_payees', 'everybody', 'nobody')),
  updated_at timestamptz not null
);

-- Public links by which senders share the status of a transfer.
create table tracking_link (
  id uuid primary key,
  -- Transaction in the list of `user_id`.
  transaction_id uuid not null,
  user_id bigint not null references app_user,
  shows_amounts boolean not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint tracking_link_ends_later check (ended_at >= created_at)
);
create unique index tracking_link_open on tracking_link (user_id, transaction_id) where ended_at is null;
create index tracking_link_ended on tracking_link (ended_at) where ended_at is not null;

-- Transfers that street mode holds until the sender confirms them with a second proof.
create table street_hold (
  transfer_id uuid primary key references transfer,
  -- Counted from when the money is held.
  confirm_after_seconds integer not null check (confirm_after_seconds > 0),
  -- When the sender was notified.
  told_at timestamptz,
  -- When the second proof was given. A later hold for a case does not require it again.
  confirmed_at timestamptz
);
create index street_hold_untold on street_hold (transfer_id) where told_at is null;
call seal_table('street_hold', '{transfer_id}', '{confirm_after_seconds, confirmed_at}');

-- Foreign key of an earlier feature.
alter table compliance_case_transfer add foreign key (transfer_id) references transfer;
