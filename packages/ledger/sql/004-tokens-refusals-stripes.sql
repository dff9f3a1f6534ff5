-- What belongs to a movement beside its entries, so that one row in the database decides it whoever asks:
--
--   token            a single-use token, such as a quote: taken once, by a posting or by a reservation
--   posting.refusal  a request that was refused keeps its row; the same id is refused for good
--   entry.created_at the time of the posting, so that the history of an account is read from a range of its entries
--   account.stripe_of  a system account that every movement touches has stripes: accounts of the same kind and currency,
--                    one for each connection that posts, so that they do not wait for each other

alter table ledger.posting
  -- Null: it was posted. Otherwise why it was refused; then it has no entries.
  add column refusal text,
  add column refusal_details jsonb,
  -- What it counted against its quota; null where it has none.
  add column quota_amount numeric(38, 0),
  add constraint posting_refusal_has_details check (refusal is not null or refusal_details is null);

create table ledger.token (
  id uuid primary key,
  -- Who took it: the posting's id unless the movement names another holder, or the reservation's.
  holder uuid not null,
  -- Null while it is only reserved.
  posting_id uuid
);
insert into ledger.token (id, holder, posting_id) select once, id, id from ledger.posting where once is not null;
alter table ledger.posting drop column once;

alter table ledger.entry add column created_at timestamptz;
alter table ledger.entry disable trigger history_is_kept;
update ledger.entry set created_at = posting.created_at from ledger.posting where posting.id = entry.posting_id;
alter table ledger.entry enable trigger history_is_kept;
alter table ledger.entry alter column created_at set not null;

alter table ledger.account
  add column stripe_of bigint,
  add constraint account_of_user_has_no_stripes check (stripe_of is null or floor is null);

alter type ledger.batch add attribute movement_holder uuid[];           -- who takes the token; null without one
alter type ledger.batch add attribute movement_keeps_refusal boolean[]; -- whether a refusal is kept with its id

-- Keeps a refusal that was decided before any movement was built, under the id that the movement would have had. Gives
-- what is decided about that id now: 'posted', 'key_reused', or the refusal that stands, with its details.
create function ledger.refuse(
  movement uuid, hash bytea, movement_kind text, refused_at timestamptz, code text, details jsonb,
  out decision text, out decided_details jsonb
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- Waits for whoever is writing this id at the moment.
  insert into ledger.posting (id, request_hash, kind, reference, created_at, refusal, refusal_details)
    values (movement, hash, movement_kind, movement, refused_at, code, details)
    on conflict (id) do nothing;
  select case when posting.request_hash <> hash then 'key_reused' else coalesce(posting.refusal, 'posted') end,
      posting.refusal_details
    into decision, decided_details
    from ledger.posting where posting.id = movement;
end
$$;

-- Takes a token for somebody who will use it later. False when it is used, or somebody else holds it.
create function ledger.reserve_token(token_id uuid, token_holder uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into ledger.token (id, holder) values (token_id, token_holder) on conflict (id) do nothing;
  return exists (
    select from ledger.token where token.id = token_id and token.holder = token_holder and token.posting_id is null
  );
end
$$;

-- Gives a reserved token back; one that moved money stays used.
create function ledger.release_token(token_id uuid, token_holder uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from ledger.token where token.id = token_id and token.holder = token_holder and token.posting_id is null;
end
$$;

-- Locks accounts in the order in which postings lock them, for a transaction that moves more than once or looks at a
-- balance before it moves. Gives their balances.
create function ledger.lock_accounts(accounts bigint[]) returns table (id bigint, balance numeric)
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select account.id, account.balance from ledger.account where account.id = any(accounts)
   order by account.id for no key update
$$;

-- Opens the given stripe of every system account that has been used, and gives base and stripe.
create function ledger.open_stripes(stripe int, kinds text[]) returns table (base bigint, id bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into ledger.account (name, kind, currency, floor, stripe_of)
    select a.name || '#' || stripe, a.kind, a.currency, null, a.id from ledger.account as a
     where a.kind = any(kinds) and a.stripe_of is null and a.floor is null
       and not exists (select from ledger.account as known where known.name = a.name || '#' || stripe)
     order by a.name
    on conflict (name) do nothing;
  return query select a.stripe_of, a.id from ledger.account as a
    where a.stripe_of is not null and a.kind = any(kinds) and a.name like '%#' || stripe;
end
$$;

-- The guards know the functions that may write, by the call stack, which no session can pretend by a setting.
create or replace function ledger.require_posting_function() returns trigger language plpgsql as $$
declare
  call_stack text;
begin
  get diagnostics call_stack = pg_context;
  if position('ledger.post(ledger.batch,numeric[],boolean)' in call_stack) = 0
    and not (tg_table_name = 'posting' and position('ledger.refuse(uuid,bytea,text,' in call_stack) > 0)
    and not (tg_table_name = 'token' and (position('ledger.reserve_token(uuid,uuid)' in call_stack) > 0
      or position('ledger.release_token(uuid,uuid)' in call_stack) > 0)) then
    raise exception '% of ledger.% is refused: only ledger.post writes it', tg_op, tg_table_name
      using errcode = 'TL003';
  end if;
  return null;
end
$$;

create trigger history_is_kept before truncate on ledger.token
  for each statement execute function ledger.refuse_change();
create trigger used_stays_used before delete or update on ledger.token
  for each row when (old.posting_id is not null) execute function ledger.refuse_change();
create trigger posting_function_writes before insert or update or delete on ledger.token
  for each statement execute function ledger.require_posting_function();

revoke all on function ledger.refuse(uuid, bytea, text, timestamptz, text, jsonb) from public;
revoke all on function ledger.reserve_token(uuid, uuid) from public;
revoke all on function ledger.release_token(uuid, uuid) from public;
revoke all on function ledger.open_stripes(int, text[]) from public;
revoke all on function ledger.lock_accounts(bigint[]) from public;

create or replace procedure ledger.grant_use(application regrole) language plpgsql as $$
begin
  execute format('grant usage on schema ledger to %s', application);
  execute format('grant select on all tables in schema ledger to %s', application);
  execute format('grant insert (name, kind, currency, floor) on ledger.account to %s', application);
  execute format('grant execute on function ledger.post(ledger.batch, numeric[], boolean) to %s', application);
  execute format('grant execute on function ledger.refuse(uuid, bytea, text, timestamptz, text, jsonb) to %s', application);
  execute format('grant execute on function ledger.reserve_token(uuid, uuid) to %s', application);
  execute format('grant execute on function ledger.release_token(uuid, uuid) to %s', application);
  execute format('grant execute on function ledger.open_stripes(int, text[]) to %s', application);
  execute format('grant execute on function ledger.lock_accounts(bigint[]) to %s', application);
end
$$;
