-- An account of somebody who left is closed and stays empty, whoever looked its owner up before: a movement into it fails,
-- alone among those of its batch. Its entries stay.
alter table ledger.account add column closed boolean not null default false,
  add constraint account_closed_is_empty check (not closed or balance = 0);

-- Closes these wallet and hold accounts in posting order. Names one that is not empty, and then closes none.
create function ledger.close_accounts(accounts bigint[]) returns bigint language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  found bigint;
begin
  perform from ledger.account where account.id = any(accounts) order by account.id for no key update;
  select account.id into found from ledger.account where account.id = any(accounts) and balance <> 0 limit 1;
  if found is null then
    update ledger.account set closed = true where account.id = any(accounts) and kind in ('wallet', 'hold');
  end if;
  return found;
end
$$;
revoke all on function ledger.close_accounts(bigint[]) from public;

create or replace function ledger.require_posting_function() returns trigger language plpgsql as $$
declare
  call_stack text;
begin
  get diagnostics call_stack = pg_context;
  if position('ledger.post(ledger.batch,numeric[],boolean)' in call_stack) = 0
    and not (tg_table_name = 'posting' and position('ledger.refuse(uuid,bytea,text,' in call_stack) > 0)
    and not (tg_table_name = 'account' and position('ledger.close_accounts(bigint[])' in call_stack) > 0)
    and not (tg_table_name = 'token' and (position('ledger.reserve_token(uuid,uuid)' in call_stack) > 0
      or position('ledger.release_token(uuid,uuid)' in call_stack) > 0)) then
    raise exception '% of ledger.% is refused: only ledger.post writes it', tg_op, tg_table_name
      using errcode = 'TL003';
  end if;
  return null;
end
$$;
