-- Owner: payments. A withdrawal that its owner confirms together with linking the account it goes to.
-- The confirmation covers exactly this amount, currency and fee, from the session that began the link, to the account that
-- the link ends with. `withdrawal_id` is the movement that used it.
alter table bank_link
  add column withdrawal_minor bigint check (withdrawal_minor > 0),
  add column withdrawal_fee_minor bigint check (withdrawal_fee_minor >= 0),
  add column withdrawal_currency text,
  add column withdrawal_confirmed_at timestamptz,
  add column withdrawal_id uuid,
  add constraint withdrawal_is_whole check (
    num_nulls(withdrawal_minor, withdrawal_fee_minor, withdrawal_currency, withdrawal_confirmed_at) in (0, 4)
    and (withdrawal_id is null or withdrawal_minor is not null));
