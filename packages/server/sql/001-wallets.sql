-- Owner: wallets. Users' wallets, their lists of transactions, and what they sent per day.

create table wallet (
  id uuid primary key,
  user_id bigint not null unique,
  name text not null,
  base_currency text not null,
  created_at timestamptz not null
);

-- What a user sees in the list: one row per party of a movement, under one id. Amounts are minor units of the currency
-- beside them. Written by move_money alone; afterwards only the status changes.
create table transaction (
  user_id bigint not null,
  id uuid not null,
  posting_id uuid not null,
  kind text not null check (kind in ('DEPOSIT', 'WITHDRAW', 'SEND', 'RECEIVE', 'EXCHANGE')),
  status text not null check (status in ('COMPLETED', 'PENDING', 'FAILED')),
  created_at timestamptz not null,
  sender_id bigint,
  recipient_id bigint,
  -- The wallet of this row's user; from and to are those of the two parties.
  wallet_id uuid not null,
  from_wallet_id uuid,
  to_wallet_id uuid,
  description text not null,
  source_amount numeric(38, 0) not null,
  source_currency text not null,
  target_amount numeric(38, 0) not null,
  target_currency text not null,
  stablecoin_amount numeric(38, 0),
  -- Whole target units for one whole source unit, as an exact fraction.
  rate_numerator numeric,
  rate_denominator numeric,
  fee_amount numeric(38, 0) not null,
  fee_currency text not null,
  payment_source text check (payment_source in ('wallet', 'card', 'bank', 'wallet_partial')),
  payment_id uuid,
  quote_id uuid,
  -- Orders rows by commit for whoever reads them as a stream.
  xid xid8 not null default pg_current_xact_id(),
  primary key (user_id, id)
);
-- Whoever settles a transaction knows its id alone.
create index transaction_pending on transaction (id) where status = 'PENDING';

-- What a user sent on a day (UTC), in US dollar cents.
create table limit_usage (
  user_id bigint not null,
  day date not null,
  usd_minor numeric(38, 0) not null check (usd_minor >= 0),
  primary key (user_id, day)
) with (fillfactor = 50);

-- What belongs to the movements of a ledger.batch; `movement` is the position of the movement in it, counted from 1.

create type transaction_rows as (
  movement int[],
  user_id bigint[],
  kind text[],
  status text[],
  sender_id bigint[],
  recipient_id bigint[],
  wallet_id uuid[],
  from_wallet_id uuid[],
  to_wallet_id uuid[],
  description text[],
  source_amount numeric[],
  source_currency text[],
  target_amount numeric[],
  target_currency text[],
  stablecoin_amount numeric[],
  rate_numerator numeric[],
  rate_denominator numeric[],
  fee_amount numeric[],
  fee_currency text[],
  payment_source text[],
  payment_id uuid[],
  quote_id uuid[]
);

-- Distinct days of users, and how much all movements of the batch together would add to each.
create type limit_quotas as (
  user_id bigint[],
  day date[],
  usd_minor numeric[]
);

-- PENDING rows of earlier movements that this movement brings to an end.
create type transaction_settlements as (
  movement int[],
  id uuid[],
  status text[]
);

-- Posts a batch and writes in the same breath what users see of it. Gives the statuses of ledger.post.
create function move_money(
  batch ledger.batch, rows transaction_rows, quotas limit_quotas, settlements transaction_settlements
) returns text[]
language plpgsql
-- As in ledger.post: a plan made while the tables were small must still be right when they are large.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  movement_id constant uuid[] := batch.movement_id;
  movement_reference constant uuid[] := batch.movement_reference;
  movement_at constant timestamptz[] := batch.movement_at;
  movement_quota constant int[] := batch.movement_quota;
  movement_quota_amount constant numeric[] := batch.movement_quota_amount;
  has_quotas constant boolean := cardinality(quotas.user_id) > 0;
  quota_used numeric[] := '{}';
  statuses text[];
  settled_users bigint[] := '{}';
begin
  -- Usage first and in order, then (in ledger.post) the accounts in order: whoever moves money locks in this sequence,
  -- so no two wait for each other in a circle. The whole batch is counted at once; what is not posted is taken back below.
  if has_quotas then
    insert into limit_usage (user_id, day, usd_minor)
      select q.user_id, q.day, 0 from unnest(quotas.user_id, quotas.day) as q(user_id, day)
       where (select usage.day from limit_usage as usage where usage.user_id = q.user_id and usage.day = q.day) is null
       order by q.user_id, q.day
      on conflict do nothing;
    with counted as (
      update limit_usage as usage set usd_minor = usage.usd_minor + q.usd_minor
        from (select * from unnest(quotas.user_id, quotas.day, quotas.usd_minor)
                with ordinality as q(user_id, day, usd_minor, place) order by q.user_id, q.day) as q
       where usage.user_id = q.user_id and usage.day = q.day
      returning q.place, usage.usd_minor - q.usd_minor as before
    )
    select array_agg(counted.before order by counted.place) into quota_used from counted;
    if cardinality(quota_used) is distinct from cardinality(quotas.user_id) then
      raise exception 'a day of usage was changed by somebody else' using errcode = 'serialization_failure';
    end if;
  end if;

  statuses := ledger.post(batch, quota_used);

  if has_quotas then
    update limit_usage as usage set usd_minor = usage.usd_minor - unused.usd_minor
      from (select quotas.user_id[m.quota] as user_id, quotas.day[m.quota] as day, sum(m.amount) as usd_minor
              from unnest(movement_quota, movement_quota_amount, statuses) as m(quota, amount, status)
             where m.quota is not null and m.status <> 'posted' group by m.quota) as unused
     where usage.user_id = unused.user_id and usage.day = unused.day;
  end if;

  insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id,
      from_wallet_id, to_wallet_id, description, source_amount, source_currency, target_amount, target_currency,
      stablecoin_amount, rate_numerator, rate_denominator, fee_amount, fee_currency, payment_source, payment_id, quote_id)
    select r.user_id, movement_reference[r.movement], movement_id[r.movement], r.kind, r.status, movement_at[r.movement],
      r.sender_id, r.recipient_id, r.wallet_id, r.from_wallet_id, r.to_wallet_id, r.description, r.source_amount,
      r.source_currency, r.target_amount, r.target_currency, r.stablecoin_amount, r.rate_numerator, r.rate_denominator,
      r.fee_amount, r.fee_currency, r.payment_source, r.payment_id, r.quote_id
      from unnest(rows.movement, rows.user_id, rows.kind, rows.status, rows.sender_id, rows.recipient_id, rows.wallet_id,
        rows.from_wallet_id, rows.to_wallet_id, rows.description, rows.source_amount, rows.source_currency,
        rows.target_amount, rows.target_currency, rows.stablecoin_amount, rows.rate_numerator, rows.rate_denominator,
        rows.fee_amount, rows.fee_currency, rows.payment_source, rows.payment_id, rows.quote_id)
        as r(movement, user_id, kind, status, sender_id, recipient_id, wallet_id, from_wallet_id, to_wallet_id,
        description, source_amount, source_currency, target_amount, target_currency, stablecoin_amount, rate_numerator,
        rate_denominator, fee_amount, fee_currency, payment_source, payment_id, quote_id)
     where statuses[r.movement] = 'posted';

  if cardinality(settlements.id) > 0 then
    with settled as (
      update transaction as t set status = s.status, xid = pg_current_xact_id()
        from unnest(settlements.movement, settlements.id, settlements.status) as s(movement, id, status)
       where t.id = s.id and t.status = 'PENDING' and statuses[s.movement] = 'posted'
      returning t.user_id
    )
    select coalesce(array_agg(settled.user_id), '{}') into settled_users from settled;
  end if;

  -- One notification for the batch, or a few: a payload must stay below 8000 bytes, and a user's number has 19 digits at most.
  perform pg_notify('tern_user', string_agg(touched.user_id::text, ','))
    from (
      select u.user_id, (row_number() over () - 1) / 350 as part
        from (
          select r.user_id from unnest(rows.movement, rows.user_id) as r(movement, user_id)
           where statuses[r.movement] = 'posted'
          union
          select unnest(settled_users)
        ) as u
    ) as touched
   group by touched.part;
  return statuses;
end
$$;
