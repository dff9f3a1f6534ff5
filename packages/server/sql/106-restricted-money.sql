-- Owner: wallets. Restricted money: parts of balances that may not go to a bank yet, wherever they are sent in the product.

-- A lot is a part of one ledger account (a wallet's or a hold's). It keeps its origin and its end while it moves between accounts;
-- money outside lots is unrestricted.
create table restricted_money (
  id bigint generated always as identity primary key,
  account_id bigint not null references ledger.account (id),
  -- The transaction for which a hold keeps it; null in wallets.
  hold_reference uuid,
  user_id bigint not null references app_user (id),
  currency text not null references ledger.currency (code),
  minor numeric(38, 0) not null check (minor > 0),
  reason text not null check (reason in ('card', 'bank_debit', 'provisional_credit')),
  -- A payment; for provisional credits a dispute.
  origin uuid not null,
  -- Infinite for provisional credits, which are restricted until their dispute is decided.
  matures_at timestamptz not null,
  created_at timestamptz not null,
  constraint restricted_money_matures check ((reason = 'provisional_credit') = (matures_at = 'infinity')),
  constraint restricted_money_once unique nulls not distinct (account_id, hold_reference, reason, origin, matures_at)
);
create index restricted_money_of_user on restricted_money (user_id);
create index restricted_money_matured on restricted_money (matures_at);
create index restricted_money_of_origin on restricted_money (origin);

-- Whether a lot is in force at a time.
create function is_restricted(lot restricted_money, at timestamptz) returns boolean language sql stable as $$
  select lot.matures_at > at and (lot.reason <> 'provisional_credit'
    or exists (select from dispute d where d.id = lot.origin and d.state = 'open'))
$$;

-- Null: any bank account. Otherwise the line holds for debits from a bank account whose first debit that stood is younger than this,
-- or that has had none.
alter table maturity_policy
  add column bank_younger_than_days int check (bank_younger_than_days > 0),
  add constraint maturity_policy_bank_age check (bank_younger_than_days is null or method = 'bank'),
  drop constraint maturity_policy_method_country_account_younger_than_days_key,
  add constraint maturity_policy_once unique nulls not distinct (method, country, account_younger_than_days, bank_younger_than_days);

-- Five business days are a week, and ten are two weeks.
insert into maturity_policy (method, account_younger_than_days, bank_younger_than_days, hours) values
  ('bank', null, null, 168),
  ('bank', 30, null, 336),
  ('bank', null, 30, 336)
on conflict do nothing;

create index payment_of_bank_account on payment (bank_account_id) where method = 'bank' and status = 'completed';

-- Hours during which money of this method and bank account, received by a person at a time, cannot go to a bank.
create function maturity_hours(person bigint, method text, from_account uuid, at timestamptz) returns int language sql stable as $$
  select coalesce(max(p.hours), 0)
    from maturity_policy p
    join app_user u on u.id = maturity_hours.person
   where p.method = maturity_hours.method
     and (p.country is null or p.country = (
       select k.country from kyc_submission k where k.user_id = u.id and k.status = 'verified' order by k.submitted_at desc limit 1))
     and (p.account_younger_than_days is null or u.created_at > maturity_hours.at - make_interval(days => p.account_younger_than_days))
     and (p.bank_younger_than_days is null or not exists (
       select from bank_account linked
         join bank_account same using (user_id, provider, fingerprint)
         join payment debit on debit.bank_account_id = same.id and debit.method = 'bank' and debit.status = 'completed'
        where linked.id = maturity_hours.from_account
          and debit.created_at <= maturity_hours.at - make_interval(days => p.bank_younger_than_days)))
$$;

-- Time from which money of a payment received at a time may go to a bank; null without such a payment.
create function maturity_of(payment_id uuid, at timestamptz) returns timestamptz language sql stable as $$
  select maturity_of.at + make_interval(hours => maturity_hours(p.user_id, case p.method when 'bank' then 'bank' else 'card' end,
      p.bank_account_id, maturity_of.at))
    from payment p where p.id = maturity_of.payment_id
$$;

-- Deletes at most so many lots that matured before a time, or whose dispute was decided before it; never one that is in force.
create function forget_matured_money(before timestamptz, at_most int) returns setof bigint
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  delete from restricted_money where id = any (array(
    select r.id from restricted_money r left join dispute d on d.id = r.origin and r.reason = 'provisional_credit'
     where r.matures_at < least(before, now()) or d.decided_at < before limit at_most))
  returning id
$$;
revoke all on function forget_matured_money(timestamptz, int) from public;

-- Withdrawing card money costs nothing unless an operator sets a cost.
insert into withdrawal_cost_policy (version, basis_points, card_days)
  select version + 1, 0, card_days from withdrawal_cost_policy order by version desc limit 1;

-- Backfill: deposits that have not matured and provisional credits of open disputes, as far as the wallet still has them. Money
-- sent on before this version stays unrestricted.
insert into restricted_money (account_id, user_id, currency, minor, reason, origin, matures_at, created_at)
  with came as (
    select t.wallet_id, t.user_id, t.target_currency as currency, t.target_amount as minor,
        case p.method when 'bank' then 'bank_debit' else 'card' end as reason, p.id as origin, max(maturity_of(p.id, t.created_at)) as matures_at
      from transaction t join payment p on p.id = t.payment_id
     where t.kind = 'DEPOSIT' and t.status = 'COMPLETED' and t.created_at > now() - interval '60 days' and p.status <> 'reversed'
       and t.target_amount > 0
     group by t.id, t.wallet_id, t.user_id, t.target_currency, t.target_amount, p.method, p.id
    union all
    select w.id, d.user_id, d.currency, g.amount_minor, 'provisional_credit', d.id, 'infinity'
      from dispute_posting g join dispute d on d.id = g.dispute_id join wallet w on w.user_id = d.user_id
     where g.kind = 'provisional' and d.state = 'open'
  ), placed as (
    select a.id as account_id, a.balance, came.*,
        sum(came.minor) over (partition by a.id order by came.matures_at desc, came.origin) - came.minor as later
      from came join ledger.account a on a.name = 'wallet:' || came.wallet_id || ':' || came.currency
     where came.matures_at > now()
  )
  select account_id, user_id, currency, sum(least(minor, balance - later)), reason, origin, matures_at, now()
    from placed where balance > later group by account_id, user_id, currency, reason, origin, matures_at;
