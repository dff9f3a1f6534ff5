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
  -- Element access is fast in variables, slow in fields of a composite.
  row_movement constant int[] := rows.movement;
  row_user_id constant bigint[] := rows.user_id;
  row_kind constant text[] := rows.kind;
  row_status constant text[] := rows.status;
  row_sender_id constant bigint[] := rows.sender_id;
  row_recipient_id constant bigint[] := rows.recipient_id;
  row_wallet_id constant uuid[] := rows.wallet_id;
  row_from_wallet_id constant uuid[] := rows.from_wallet_id;
  row_to_wallet_id constant uuid[] := rows.to_wallet_id;
  row_description constant text[] := rows.description;
  row_source_amount constant numeric[] := rows.source_amount;
  row_source_currency constant text[] := rows.source_currency;
  row_target_amount constant numeric[] := rows.target_amount;
  row_target_currency constant text[] := rows.target_currency;
  row_stablecoin_amount constant numeric[] := rows.stablecoin_amount;
  row_rate_numerator constant numeric[] := rows.rate_numerator;
  row_rate_denominator constant numeric[] := rows.rate_denominator;
  row_fee_amount constant numeric[] := rows.fee_amount;
  row_fee_currency constant text[] := rows.fee_currency;
  row_payment_source constant text[] := rows.payment_source;
  row_payment_id constant uuid[] := rows.payment_id;
  row_quote_id constant uuid[] := rows.quote_id;
  quota_user constant bigint[] := quotas.user_id;
  quota_day constant date[] := quotas.day;
  quota_usd constant numeric[] := quotas.usd_minor;
  settled_movement constant int[] := settlements.movement;
  settled_id constant uuid[] := settlements.id;
  settled_status constant text[] := settlements.status;
  has_quotas constant boolean := cardinality(quota_user) > 0;
  quota_used numeric[] := '{}';
  statuses text[];
  settled_users bigint[] := '{}';
begin
  -- Usage first and in order, then (in ledger.post) the accounts in order: whoever moves money locks in this sequence,
  -- so no two wait for each other in a circle. The whole batch is counted at once; what is not posted is taken back below.
  if has_quotas then
    insert into limit_usage (user_id, day, usd_minor)
      select quota_user[q], quota_day[q], 0 from generate_series(1, cardinality(quota_user)) as q
       where (select day from limit_usage where user_id = quota_user[q] and day = quota_day[q]) is null
       order by quota_user[q], quota_day[q]
      on conflict do nothing;
    with counted as (
      update limit_usage as usage set usd_minor = usage.usd_minor + quota_usd[q.place]
        from (select place from generate_series(1, cardinality(quota_user)) as place
               order by quota_user[place], quota_day[place]) as q
       where usage.user_id = quota_user[q.place] and usage.day = quota_day[q.place]
      returning q.place, usage.usd_minor - quota_usd[q.place] as before
    )
    select array_agg(counted.before order by counted.place) into quota_used from counted;
    if cardinality(quota_used) is distinct from cardinality(quota_user) then
      raise exception 'a day of usage was changed by somebody else' using errcode = 'serialization_failure';
    end if;
  end if;

  statuses := ledger.post(batch, quota_used);

  if has_quotas then
    update limit_usage as usage set usd_minor = usage.usd_minor - unused.usd_minor
      from (select movement_quota[m] as quota, sum(movement_quota_amount[m]) as usd_minor
              from generate_series(1, cardinality(movement_id)) as m
             where movement_quota[m] is not null and statuses[m] <> 'posted' group by movement_quota[m]) as unused
     where usage.user_id = quota_user[unused.quota] and usage.day = quota_day[unused.quota];
  end if;

  insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id, from_wallet_id,
      to_wallet_id, description, source_amount, source_currency, target_amount, target_currency,
      stablecoin_amount, rate_numerator, rate_denominator, fee_amount, fee_currency, payment_source,
      payment_id, quote_id)
    select row_user_id[r], movement_reference[row_movement[r]], movement_id[row_movement[r]], row_kind[r], row_status[r],
      movement_at[row_movement[r]], row_sender_id[r], row_recipient_id[r], row_wallet_id[r],
      row_from_wallet_id[r], row_to_wallet_id[r], row_description[r], row_source_amount[r],
      row_source_currency[r], row_target_amount[r], row_target_currency[r], row_stablecoin_amount[r],
      row_rate_numerator[r], row_rate_denominator[r], row_fee_amount[r], row_fee_currency[r],
      row_payment_source[r], row_payment_id[r], row_quote_id[r]
      from generate_series(1, cardinality(row_movement)) as r
     where statuses[row_movement[r]] = 'posted';

  if cardinality(settled_id) > 0 then
    with settled as (
      update transaction as t set status = settled_status[s], xid = pg_current_xact_id()
        from generate_series(1, cardinality(settled_id)) as s
       where t.id = settled_id[s] and t.status = 'PENDING' and statuses[settled_movement[s]] = 'posted'
      returning t.user_id
    )
    select coalesce(array_agg(settled.user_id), '{}') into settled_users from settled;
  end if;

  -- One notification for the batch, or a few: a payload must stay below 8000 bytes, and a user's number has 19 digits at most.
  perform pg_notify('tern_user', string_agg(touched.user_id::text, ','))
    from (
      select u.user_id, (row_number() over () - 1) / 350 as part
        from (
          select row_user_id[r] as user_id from generate_series(1, cardinality(row_movement)) as r
           where statuses[row_movement[r]] = 'posted'
          union
          select unnest(settled_users)
        ) as u
    ) as touched
   group by touched.part;
  return statuses;
end
$$;
