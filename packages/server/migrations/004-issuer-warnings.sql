-- Warnings by card issuers about payments, and the hold that they put on the money of the card.
-- compatible
alter table reconciliation_exception drop constraint reconciliation_exception_kind_check,
  add constraint reconciliation_exception_kind_check check (kind in ('missing_internal', 'missing_external',
    'amount_differs', 'unmatched', 'loss', 'ledger_differs', 'issuer_warning'));

create table issuer_warning (
  provider text not null,
  id text not null,
  kind text not null check (kind in ('early_fraud_warning', 'inquiry', 'dispute')),
  payment_id uuid not null references payment,
  amount_minor numeric(38, 0) not null check (amount_minor > 0),
  currency text not null,
  reason text not null,
  is_open boolean not null,
  -- Time until which the provider takes evidence.
  respond_by timestamptz,
  warned_at timestamptz not null,
  updated_at timestamptz not null,
  -- Time until which money of the card cannot go to a bank; null if it matured before, or if no card paid.
  held_until timestamptz,
  -- When the money could go to a bank again, because the warning ended.
  released_at timestamptz,
  primary key (provider, id),
  constraint issuer_warning_reason_is_code check (reason ~ '^[a-z_]+$'),
  constraint issuer_warning_release_needs_hold check (released_at is null or held_until is not null)
);
create index issuer_warning_payment on issuer_warning (payment_id);
create index issuer_warning_held on issuer_warning (provider, id) where held_until is not null and released_at is null;

-- Restricts the money that a card payment brought in until another time, where it is still restricted, but never for
-- less time than without a warning; returns whether any is. The caller has locked the accounts of the lots.
create function restrict_card_money(payment uuid, until timestamptz, at timestamptz) returns boolean
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  with term as (
    select greatest(restrict_card_money.until, max(maturity_of(l.reference, l.occurred_at))) as until
      from settlement_line l where l.reference = restrict_card_money.payment and l.kind = 'capture'
  ), lot as (
    delete from restricted_money r
     where r.origin = restrict_card_money.payment and r.reason = 'card' and r.matures_at > restrict_card_money.at
    returning r.*
  ), kept as (
    insert into restricted_money (account_id, hold_reference, user_id, currency, minor, reason, origin, matures_at, created_at)
      select account_id, hold_reference, user_id, currency, sum(minor), reason, origin, term.until, min(created_at)
        from lot cross join term where term.until > restrict_card_money.at
       group by account_id, hold_reference, user_id, currency, reason, origin, term.until
  )
  select exists (select from lot)
$$;
revoke all on function restrict_card_money from public;
