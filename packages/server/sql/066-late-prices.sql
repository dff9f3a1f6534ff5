-- Owner: payments. For how long the price of a payment from outside is kept, and what happens to money that comes later.

-- How far the market may have moved against us since a price was promised, for money that comes after it: what the recipient
-- gets at the price of that moment falls short of the promise by at most this part of it.
create table late_price_policy (
  only_one boolean primary key default true check (only_one),
  max_adverse_parts_per_million integer not null check (max_adverse_parts_per_million between 0 and 1000000)
);
insert into late_price_policy (max_adverse_parts_per_million) values (5000);

-- Until when the price holds whatever the market does. Null: it holds until the money comes, as of a price within one
-- currency, and as was promised for payments begun before.
alter table payment add column price_held_until timestamptz;
-- Of a send that is priced when its money comes: the least that the recipient may get, as the sender has set it.
alter table payment add column minimum_target_minor numeric(38,0) check (minimum_target_minor > 0);
alter table payment add constraint payment_priced_at_settlement
  check (minimum_target_minor is null or (purpose = 'send' and method = 'bank'));

alter table guest_payment drop constraint guest_payment_refusal_check;
alter table guest_payment add constraint guest_payment_refusal_check
  check (refusal in ('request_closed', 'limit_exceeded', 'price_moved'));

-- The price of a row is a fact from when it has ended; that of a pending one follows the price at which its money comes.
drop trigger facts_are_kept on transaction;
create trigger facts_are_kept before update of user_id, id, posting_id, kind, created_at, sender_id, recipient_id, wallet_id,
    from_wallet_id, to_wallet_id, description, source_amount, source_currency, target_currency, fee_amount, fee_currency,
    payment_source, payment_id, quote_id
  on transaction for each statement execute function refuse_change_of_transaction();
create trigger price_is_kept before update of target_amount, stablecoin_amount, rate_numerator, rate_denominator on transaction
  for each row when (old.status <> 'PENDING') execute function refuse_change_of_transaction();

-- Gives the pending rows of a payment from outside that has not been posted the price at which its money is taken.
create function price_pending_transaction(
  reference uuid, new_target numeric, new_stablecoin numeric, new_numerator numeric, new_denominator numeric
) returns setof bigint language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update transaction
     set target_amount = new_target, stablecoin_amount = new_stablecoin, rate_numerator = new_numerator,
         rate_denominator = new_denominator, xid = pg_current_xact_id()
   where id = reference and status = 'PENDING' and kind in ('SEND', 'RECEIVE', 'DEPOSIT')
     and not exists (select from ledger.posting where id = transaction.posting_id)
  returning user_id
$$;
