-- Owner: wallets. What a user has read in their list stays as it was written: only a pending row changes, once, to how it
-- ended. As in the ledger, the guards hold for every role, the owner of the table included.

create function refuse_change_of_transaction() returns trigger language plpgsql as $$
begin
  raise exception '% of % is refused: only the status of a pending row changes', tg_op, tg_table_name
    using errcode = 'TL002';
end
$$;

create trigger rows_are_kept before delete or truncate on transaction
  for each statement execute function refuse_change_of_transaction();
-- Every column but status and xid, which orders rows for whoever reads them as a stream. A new column is to be added here.
create trigger facts_are_kept before update of user_id, id, posting_id, kind, created_at, sender_id, recipient_id, wallet_id,
    from_wallet_id, to_wallet_id, description, source_amount, source_currency, target_amount, target_currency,
    stablecoin_amount, rate_numerator, rate_denominator, fee_amount, fee_currency, payment_source, payment_id, quote_id
  on transaction for each statement execute function refuse_change_of_transaction();
create trigger ended_is_ended before update of status on transaction
  for each row when (old.status <> 'PENDING') execute function refuse_change_of_transaction();
