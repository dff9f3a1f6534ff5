-- Opens accounts that were closed for somebody who comes back.
create function ledger.reopen_accounts(accounts bigint[]) returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  perform from ledger.account where account.id = any(accounts) order by account.id for no key update;
  update ledger.account set closed = false where account.id = any(accounts) and closed;
end
$$;
revoke all on function ledger.reopen_accounts(bigint[]) from public;

create or replace function ledger.require_posting_function() returns trigger language plpgsql as $$
declare
  call_stack text;
begin
  get diagnostics call_stack = pg_context;
  if position('ledger.post(ledger.batch,numeric[],boolean)' in call_stack) = 0
    and not (tg_table_name = 'posting' and position('ledger.refuse(uuid,bytea,text,' in call_stack) > 0)
    and not (tg_table_name = 'account' and (position('ledger.close_accounts(bigint[])' in call_stack) > 0
      or position('ledger.reopen_accounts(bigint[])' in call_stack) > 0))
    and not (tg_table_name = 'token' and (position('ledger.reserve_token(uuid,uuid)' in call_stack) > 0
      or position('ledger.release_token(uuid,uuid)' in call_stack) > 0)) then
    raise exception '% of ledger.% is refused: only ledger.post writes it', tg_op, tg_table_name
      using errcode = 'TL003';
  end if;
  return null;
end
$$;
