-- Owner: disputes. A provisional credit that cannot be taken back is a loss of its owner's account, and stops it until it is paid.

alter table dispute_posting
  drop constraint dispute_posting_kind_check,
  -- `repaid`: its owner paid what of a credit could not be taken back.
  add constraint dispute_posting_kind_check check (kind in ('provisional', 'final', 'taken_back', 'recovered', 'repaid'));

-- The losses that stop somebody's money: of payments that were taken back, and of credits of their disputes.
create function open_losses_of(person bigint) returns setof reconciliation_exception language sql stable as $$
  select e.* from reconciliation_exception e join payment p on p.id = e.reference
   where e.kind = 'loss' and e.closed_at is null and p.user_id = person
  union all
  select e.* from reconciliation_exception e join dispute d on d.id = e.reference
   where e.kind = 'loss' and e.closed_at is null and d.user_id = person
$$;

-- As before, and what is repaid is held to no ceiling, like what is taken back.
create or replace function require_given_once() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  disputed record;
  given record;
begin
  for disputed in
    select distinct d.user_id, d.transaction_id from dispute d
     where tg_table_name = 'dispute_posting' and d.id = (to_jsonb(new) ->> 'dispute_id')::uuid
        or tg_table_name = 'settlement_line' and d.transaction_id = (
          select o.transaction_id from payout o where o.id = (to_jsonb(new) ->> 'reference')::uuid)
  loop
    select * into given from dispute_given(disputed.user_id, disputed.transaction_id);
    if given.by_disputes < given.recovered or given.fee_by_disputes not between 0 and given.by_disputes
       or (coalesce(to_jsonb(new) ->> 'kind', '') not in ('taken_back', 'repaid')
         and (given.by_disputes + given.by_others > given.most or given.fee_by_disputes > given.most_fee)) then
      raise exception 'transaction % would be given back % of %, and % of it recovered', disputed.transaction_id,
        given.by_disputes + given.by_others, given.most, given.recovered using errcode = 'check_violation';
    end if;
  end loop;
  return null;
end
$$;
