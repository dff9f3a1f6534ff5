-- Owner: payments. What a payment is priced at when its money comes is a quote of its own, which its rows and its held
-- transfer name, so that the price can be worked out again.

drop trigger price_is_kept on transaction;
create trigger price_is_kept before update of target_amount, stablecoin_amount, rate_numerator, rate_denominator, quote_id
  on transaction for each row
  when (old.status <> 'PENDING' or old.kind = 'WITHDRAW' or (old.kind = 'EXCHANGE' and old.quote_id is not null))
  execute function refuse_change_of_transaction();
drop trigger amounts_are_kept on transaction;
create trigger amounts_are_kept before update of source_amount, fee_amount
  on transaction for each row
  when (old.status <> 'PENDING' or old.kind <> 'EXCHANGE' or old.quote_id is not null)
  execute function refuse_change_of_transaction();

-- Without a quote the rows keep theirs: so processes of the version before call it.
drop function price_pending_transaction(uuid, numeric, numeric, numeric, numeric);
create function price_pending_transaction(
  reference uuid, new_target numeric, new_stablecoin numeric, new_numerator numeric, new_denominator numeric,
  new_quote uuid default null
) returns setof bigint language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update transaction
     set target_amount = new_target, stablecoin_amount = new_stablecoin, rate_numerator = new_numerator,
         rate_denominator = new_denominator, quote_id = coalesce(new_quote, quote_id), xid = pg_current_xact_id()
   where id = reference and status = 'PENDING' and kind in ('SEND', 'RECEIVE', 'DEPOSIT')
     and not exists (select from ledger.posting where id = transaction.posting_id)
  returning user_id
$$;
revoke all on function price_pending_transaction(uuid, numeric, numeric, numeric, numeric, uuid) from public;

create function refuse_change_of_held_quote() returns trigger language plpgsql as $$
begin
  raise exception 'the quote of transfer % is kept once its money has come', old.id;
end
$$;
create trigger quote_is_kept before update of quote_id on transfer for each row
  when (old.state <> 'awaiting_funding' and old.quote_id is distinct from new.quote_id)
  execute function refuse_change_of_held_quote();
