-- Owner: disputes. A refund brings the fee back too, and never more than was paid; also not together with what a bank returned.

alter table dispute
  -- What of `claimed_minor` is the fee, or its share.
  add column claimed_fee_minor numeric(38, 0) not null default 0,
  add constraint dispute_claimed_fee check (claimed_fee_minor between 0 and claimed_minor);

-- Whoever waits for a decision gets the fee, too.
update dispute d set claimed_fee_minor = t.fee_amount, claimed_minor = t.source_amount + t.fee_amount
  from transaction t
 where t.user_id = d.user_id and t.id = d.transaction_id and d.kind <> 'wrong_amount' and t.kind in ('SEND', 'WITHDRAW')
   and (d.state = 'open' or exists (select from dispute_objection o where o.dispute_id = d.id and o.state = 'open'))
   and not exists (select from dispute_posting p where p.dispute_id = d.id);

alter table dispute_posting
  -- What of `amount_minor` comes from, or goes back to, our income from fees; the rest is of our losses.
  add column fee_minor numeric(38, 0) not null default 0,
  add constraint dispute_posting_fee check (fee_minor between 0 and amount_minor),
  -- What a bank returns may have been given back by several disputes, of which all but the last were withdrawn.
  drop constraint dispute_posting_pkey,
  add primary key (posting_id, dispute_id);

-- What somebody has back of a transaction of theirs that is or was disputed, and of that as fee, in minor units of the dispute's
-- currency: from disputes, from the bank that returned a payout, and, of a card or bank payment, what was returned there less what the
-- wallet gave for that. `recovered`: what of that a bank's return brought us instead of them. `most`: what they paid, and of that as fee.
create function dispute_given(person bigint, disputed uuid)
returns table (by_disputes numeric, fee_by_disputes numeric, recovered numeric, by_others numeric, most numeric, most_fee numeric)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with own as (
    select t.*, (select d.currency from dispute d where d.user_id = person and d.transaction_id = disputed limit 1) as currency,
        t.kind in ('SEND', 'WITHDRAW') as is_outgoing
      from transaction t where t.user_id = person and t.id = disputed
  ), credit as (
    select p.kind, case when p.kind in ('provisional', 'final') then p.amount_minor else -p.amount_minor end as minor,
        case when p.kind in ('provisional', 'final') then p.fee_minor else -p.fee_minor end as fee_minor
      from dispute_posting p join dispute d on d.id = p.dispute_id
     where d.user_id = person and d.transaction_id = disputed
  ), line as (
    select l.posting_id, l.kind, l.amount_minor from settlement_line l join own on l.reference = own.payment_id
     where own.is_outgoing and l.kind in ('payout_return', 'refund', 'chargeback', 'debit_return', 'chargeback_reversal')
  ), other as (
    -- A payout's line tells what came to us; what the wallet got of it, its entries do.
    select coalesce(-sum(amount_minor) filter (where kind <> 'payout_return'), 0) + coalesce((
        select sum(e.amount) from own join ledger.account a on a.name = 'wallet:' || own.wallet_id || ':' || own.currency
          join ledger.entry e on e.account_id = a.id
         where e.posting_id in (select posting_id from line union all
           select x.id from reconciliation_exception x where x.kind = 'loss' and x.reference = own.payment_id)), 0) as minor
      from line
  )
  select (select coalesce(sum(minor), 0) from credit where kind <> 'recovered'),
      (select coalesce(sum(fee_minor), 0) from credit where kind <> 'recovered'),
      (select coalesce(-sum(minor), 0) from credit where kind = 'recovered'), other.minor,
      case when own.status = 'FAILED' then 0 when own.is_outgoing then own.source_amount + own.fee_amount
           when own.currency = own.target_currency then own.target_amount else own.fee_amount end,
      case when own.status = 'FAILED' then 0 else own.fee_amount end
    from own, other
$$;

-- Credits of one transaction wait for each other: the row of the transaction is locked before accounts are.
create function lock_disputed_transaction() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from transaction t join dispute d on d.user_id = t.user_id and d.transaction_id = t.id
    where d.id = new.dispute_id for no key update of t;
  return new;
end
$$;
create trigger disputed_transaction_is_locked before insert on dispute_posting
  for each row execute function lock_disputed_transaction();

-- Of a chargeback nobody asks us: what it takes twice is a loss, and open as such.
create function require_given_once() returns trigger
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
       or (coalesce(to_jsonb(new) ->> 'kind', '') <> 'taken_back'
         and (given.by_disputes + given.by_others > given.most or given.fee_by_disputes > given.most_fee)) then
      raise exception 'transaction % would be given back % of %, and % of it recovered', disputed.transaction_id,
        given.by_disputes + given.by_others, given.most, given.recovered using errcode = 'check_violation';
    end if;
  end loop;
  return null;
end
$$;
create constraint trigger given_back_once after insert on dispute_posting
  deferrable initially deferred for each row execute function require_given_once();
create constraint trigger returned_once after insert on settlement_line
  deferrable initially deferred for each row when (new.kind = 'payout_return') execute function require_given_once();

-- Of a payment within so many days after the first money came, more time holds: null where a country knows no such rule.
alter table dispute_policy
  add column new_account_days integer check (new_account_days > 0),
  -- Business days until a decision, and until the credit where there is one.
  add column new_account_within_days integer check (new_account_within_days > 0),
  add column new_account_extended_days integer check (new_account_extended_days > 0),
  add constraint dispute_policy_new_accounts check (num_nulls(new_account_days, new_account_within_days, new_account_extended_days) in (0, 3));

insert into dispute_policy
select country, kind, 2, now(), open_within_months, decide_within_days,
    -- PSD2, article 73, and Payment Services Regulations 2017, regulation 76: an unauthorized payment, by the end of the next business day.
    case when country = 'US' then credit_within_days when kind = 'unauthorized' then 1 end,
    extended_days, answer_within_days, object_within_days, objection_within_days, source,
    -- Regulation E, 1005.11(c)(3): 30 days after the first deposit, 20 business days, and 90 days in all.
    case country when 'US' then 30 end, case country when 'US' then 20 end, case country when 'US' then 90 end
  from dispute_policy where version = 1 and country in ('DE', 'FR', 'GB', 'US');

alter table dispute
  add column is_new_account boolean not null default false,
  -- When operators stopped the provisional credit, since there are reasonable grounds to suspect fraud.
  add column suspected_at timestamptz,
  add constraint dispute_suspected check (suspected_at is null or (kind = 'unauthorized' and credit_by is null));

alter table dispute_review
  drop constraint dispute_review_cause_check,
  add constraint dispute_review_cause_check check (cause in ('opened', 'answered', 'not_answered', 'objected', 'suspected'));

revoke execute on function dispute_given, lock_disputed_transaction, require_given_once from public;
