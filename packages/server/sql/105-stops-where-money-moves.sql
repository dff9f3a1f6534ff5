-- Owner: risk. A frozen account and an open loss stop money where it moves, also what was decided before them.

-- Covers frozen accounts only: every batch of movements reads this index.
create index app_user_frozen on app_user (id) where frozen_at is not null;

-- The account holder whom a loss stops while it is open; null for exceptions of other kinds.
alter table reconciliation_exception add column owner_id bigint references app_user (id);
update reconciliation_exception e
   set owner_id = coalesce((select p.user_id from payment p where p.id = e.reference), (select d.user_id from dispute d where d.id = e.reference))
 where e.kind = 'loss';
create index reconciliation_exception_open_loss_of on reconciliation_exception (owner_id) where kind = 'loss' and closed_at is null;

create function set_loss_owner() returns trigger language plpgsql
set search_path = pg_catalog, public, pg_temp as $$
begin
  new.owner_id := coalesce((select p.user_id from payment p where p.id = new.reference),
    (select d.user_id from dispute d where d.id = new.reference));
  return new;
end
$$;
create trigger loss_has_owner before insert on reconciliation_exception
  for each row when (new.kind = 'loss') execute function set_loss_owner();

-- Losses that stop a person's money: from reversed payments and from provisional credits.
create or replace function open_losses_of(person bigint) returns setof reconciliation_exception language sql stable as $$
  select e.* from reconciliation_exception e where e.owner_id = person and e.kind = 'loss' and e.closed_at is null
$$;

-- Refuses a batch that moves stopped money. Raises TC001 where an open case stops a party of a posted send or exchange,
-- TR001 where a posted send, exchange or withdrawal leaves an account that is frozen or has an open loss.
--
-- Called after the accounts are locked, and its query takes a snapshot of its own: a freeze that commits before it is seen here, and
-- one that commits after it waits for these locks (wait_for_movements) before it answers.
create or replace function require_no_stop(rows transaction_rows, statuses text[]) returns void
language plpgsql volatile set search_path = pg_catalog, public, pg_temp as $$
declare
  row_movement constant int[] := rows.movement;
  row_kind constant text[] := rows.kind;
  row_status constant text[] := rows.status;
  row_sender_id constant bigint[] := rows.sender_id;
  row_recipient_id constant bigint[] := rows.recipient_id;
  stop text;
begin
  -- A withdrawal has left the account once it is pending; a send that is held is asked about when it settles.
  select stopped.by into stop
    from generate_series(1, cardinality(row_movement)) as r
   cross join lateral (
     select case
       when exists (select from app_user u where u.id = row_sender_id[r] and u.frozen_at is not null)
         or exists (select from reconciliation_exception e
              where e.owner_id = row_sender_id[r] and e.kind = 'loss' and e.closed_at is null)
       then 'account'
       when row_status[r] = 'COMPLETED' and exists (select from compliance_case c
              where c.user_id in (row_sender_id[r], row_recipient_id[r]) and c.stops = 'person' and c.state <> 'cleared')
       then 'case' end as by
   ) as stopped
   where (row_kind[r] in ('SEND', 'EXCHANGE') and row_status[r] = 'COMPLETED' or row_kind[r] = 'WITHDRAW' and row_status[r] = 'PENDING')
     and statuses[row_movement[r]] = 'posted' and stopped.by is not null
   limit 1;
  if stop = 'account' then
    raise exception 'an account is frozen or has an open loss' using errcode = 'TR001';
  elsif stop = 'case' then
    raise exception 'a case stops somebody' using errcode = 'TC001';
  end if;
end
$$;

-- Returns once every movement of this person's money has ended that may not have seen a freeze committed before this call: each
-- holds the lock of an account, or of the payout or payment that it submits to a provider. Those locks come before accounts.
create function wait_for_movements(person bigint) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from payout p
    where p.user_id = person and p.status = 'pending' and p.provider_payout_id is null order by p.id for no key update;
  perform from payment p
    where p.user_id = person and p.status = 'pending' and p.session_id is null order by p.id for no key update;
  perform from ledger.lock_accounts(array(
    select a.id from wallet w
      cross join ledger.currency c
      cross join unnest(array['wallet:', 'hold:']) as prefix
      join ledger.account a on a.name = prefix || w.id || ':' || c.code
     where w.user_id = person));
end
$$;
revoke all on function wait_for_movements(bigint) from public;
