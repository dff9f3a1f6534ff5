-- The double-entry ledger. Amounts are whole minor units of the account's currency.
--
--   account         a balance in one currency: a user's money (kinds wallet and hold, never below zero), the product's
--                   (such as fee and bridge), or what an outside party owes or is owed (such as card_settlement)
--   posting         one decided movement of money, under the caller's id: either posted with its entries, or refused
--                   with a reason and without entries; repeating the id moves nothing
--   entry           one change of one account by one posting, with the balance after it; each leg of a movement makes
--                   two entries of opposite sign, so the entries of a posting sum to zero
--   permitted_move  a route that money may take: from one kind of account to another, for one purpose
--   token           a right that at most one posting uses, such as the right to move money at a quoted price
--
-- Money moves through ledger.post only: triggers refuse other writers, and every change of what was posted.
create schema ledger;

-- Filled from the application's currencies.
create table ledger.currency (
  code text primary key,
  kind text not null check (kind in ('fiat', 'stablecoin', 'crypto')),
  -- Decimals of the minor unit. Never changes, since stored amounts are in minor units.
  scale smallint not null check (scale between 0 and 18)
);

create table ledger.account (
  id bigint generated always as identity primary key,
  -- Implies kind and currency: `wallet:<wallet id>:EUR`, `fee:EUR`; `fee:EUR#3` is a stripe of the latter.
  name text not null unique,
  kind text not null,
  currency text not null references ledger.currency,
  -- Lowest balance allowed; null for system accounts, which have no limit.
  floor numeric(38, 0),
  balance numeric(38, 0) not null default 0,
  -- Number of entries.
  version bigint not null default 0,
  -- Base account, if this is a stripe: each posting connection writes to stripes of its own, so that connections do not
  -- wait for each other. A system balance is the sum over base account and stripes.
  stripe_of bigint,
  -- Takes no money until it is reopened.
  closed boolean not null default false,
  constraint account_closed_is_empty check (not closed or balance = 0),
  constraint account_floor_is_kept check (floor is null or balance >= floor),
  constraint account_of_user_has_floor check (kind not in ('wallet', 'hold') or floor is not null and floor >= 0),
  constraint account_of_user_has_no_stripes check (stripe_of is null or floor is null),
  constraint account_without_entries_is_empty check (version > 0 or balance = 0)
) with (fillfactor = 50);
-- Finds system positions, read for every quote. Movements change none of its columns, so they do not pay for it.
create index account_of_system on ledger.account (kind, currency) where floor is null;

create table ledger.posting (
  id uuid primary key,
  -- Tells a repeated request from another one under the same id.
  request_hash bytea not null,
  kind text not null,
  -- Subject of the movement, such as a transaction that users see.
  reference uuid not null,
  created_at timestamptz not null,
  -- Null if posted.
  refusal text,
  refusal_details jsonb,
  -- Amount counted against its quota; null without one.
  quota_amount numeric(38, 0),
  constraint posting_kind_is_code check (strpos(kind, ' ') = 0),
  constraint posting_refusal_has_details check (refusal is not null or refusal_details is null)
);

-- Has no foreign keys, which doubled the cost of a movement; ledger.post is the only writer, and checks. Has no index
-- on posting_id, which added a tenth; created_at finds the entries of a posting, too.
create table ledger.entry (
  account_id bigint not null,
  -- Number of the entry in its account: 1, 2, 3, …
  version bigint not null,
  posting_id uuid not null,
  -- Position of the leg in its movement, from 0.
  leg smallint not null,
  amount numeric(38, 0) not null,
  -- Balance of the account after this entry.
  balance numeric(38, 0) not null,
  -- Equals the posting's.
  created_at timestamptz not null,
  primary key (account_id, version),
  constraint entry_moves_something check (amount <> 0)
);
-- Finds the entries of a posting by its time. A block range index costs an insert next to nothing; a clock that was set
-- back only adds a range or two to read.
create index entry_created_at on ledger.entry using brin (created_at) with (pages_per_range = 32, autosummarize = on);

create table ledger.token (
  id uuid primary key,
  -- The reserving party, or the posting itself if it was not reserved.
  holder uuid not null,
  -- The posting that used it; null while it is only reserved.
  posting_id uuid
);

create table ledger.permitted_move (
  from_kind text not null,
  to_kind text not null,
  -- Purpose of a leg.
  code text not null,
  -- Both accounts must belong to the same wallet.
  same_owner boolean not null default false,
  primary key (from_kind, to_kind, code)
);
-- chart.ts repeats these for the application; a test compares the two.
insert into ledger.permitted_move (from_kind, to_kind, code, same_owner) values
  ('wallet', 'wallet', 'send', false),
  ('wallet', 'fee', 'fee', false),
  ('hold', 'fee', 'fee', false),
  ('card_settlement', 'fee', 'fee', false),
  ('bank_settlement', 'fee', 'fee', false),
  ('wallet', 'bridge', 'exchange', false),
  ('bridge', 'wallet', 'exchange', false),
  ('wallet', 'bridge_stablecoin', 'exchange', false),
  ('bridge_stablecoin', 'wallet', 'exchange', false),
  ('bridge_stablecoin', 'bridge_stablecoin', 'exchange', false),
  ('bridge', 'rounding', 'rounding', false),
  ('bridge_stablecoin', 'rounding', 'rounding', false),
  ('card_settlement', 'wallet', 'deposit', false),
  ('card_settlement', 'bridge', 'deposit', false),
  ('bank_settlement', 'wallet', 'deposit', false),
  ('bank_settlement', 'bridge', 'deposit', false),
  ('wallet', 'hold', 'reserve', true),
  ('hold', 'wallet', 'release', true),
  ('hold', 'wallet', 'settle', false),
  ('hold', 'bridge', 'settle', false),
  ('hold', 'bridge_stablecoin', 'settle', false),
  ('hold', 'card_settlement', 'settle', false),
  ('hold', 'bank_settlement', 'settle', false),
  ('hold', 'payout_settlement', 'settle', false),
  ('wallet', 'loss', 'settle', false),
  ('wallet', 'wallet', 'refund', false),
  ('fee', 'wallet', 'refund', false),
  ('fee', 'card_settlement', 'refund', false),
  ('fee', 'bank_settlement', 'refund', false),
  ('wallet', 'card_settlement', 'refund', false),
  ('wallet', 'bank_settlement', 'refund', false),
  ('card_settlement', 'wallet', 'refund', false),
  ('bank_settlement', 'wallet', 'refund', false),
  ('payout_settlement', 'wallet', 'refund', false),
  ('wallet', 'bridge', 'refund', false),
  ('bridge', 'wallet', 'refund', false),
  ('wallet', 'bridge_stablecoin', 'refund', false),
  ('bridge_stablecoin', 'wallet', 'refund', false),
  ('bridge_stablecoin', 'bridge_stablecoin', 'refund', false),
  ('bridge', 'card_settlement', 'refund', false),
  ('bridge', 'bank_settlement', 'refund', false),
  ('rounding', 'bridge', 'refund', false),
  ('rounding', 'bridge_stablecoin', 'refund', false),
  ('loss', 'wallet', 'refund', false),
  ('loss', 'card_settlement', 'refund', false),
  ('loss', 'bank_settlement', 'refund', false),
  ('loss', 'bridge', 'refund', false),
  ('wallet', 'loss', 'refund', false),
  ('card_settlement', 'loss', 'refund', false),
  ('bank_settlement', 'loss', 'refund', false),
  ('payout_settlement', 'loss', 'refund', false),
  ('bridge', 'loss', 'refund', false),
  ('wallet', 'card_settlement', 'chargeback', false),
  ('wallet', 'bank_settlement', 'chargeback', false),
  ('loss', 'card_settlement', 'chargeback', false),
  ('loss', 'bank_settlement', 'chargeback', false),
  ('bridge', 'venue_settlement', 'hedge', false),
  ('venue_settlement', 'bridge', 'hedge', false);

-- Guards: what was posted never changes, and only the functions below write. The application itself only opens
-- accounts, empty ones, and adds currencies.

create function ledger.refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception '% of ledger.% is refused: the ledger is only ever added to', tg_op, tg_table_name
    using errcode = 'TL002';
end
$$;
create trigger currency_is_kept before delete or update or truncate on ledger.currency
  for each statement execute function ledger.refuse_change();
create trigger history_is_kept before delete or truncate on ledger.account
  for each statement execute function ledger.refuse_change();
create trigger history_is_kept before delete or update or truncate on ledger.posting
  for each statement execute function ledger.refuse_change();
create trigger history_is_kept before delete or update or truncate on ledger.entry
  for each statement execute function ledger.refuse_change();
create trigger history_is_kept before truncate on ledger.token
  for each statement execute function ledger.refuse_change();
create trigger opens_empty before insert on ledger.account
  for each row when (new.balance <> 0 or new.version <> 0) execute function ledger.refuse_change();
create trigger used_stays_used before delete or update on ledger.token
  for each row when (old.posting_id is not null) execute function ledger.refuse_change();

-- Recognizes the writing functions by the call stack, which a session cannot forge as it could a setting.
create function ledger.require_posting_function() returns trigger
language plpgsql as $$
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
create trigger posting_function_writes before update on ledger.account
  for each statement execute function ledger.require_posting_function();
create trigger posting_function_writes before insert on ledger.posting
  for each statement execute function ledger.require_posting_function();
create trigger posting_function_writes before insert on ledger.entry
  for each statement execute function ledger.require_posting_function();
create trigger posting_function_writes before insert or delete or update on ledger.token
  for each statement execute function ledger.require_posting_function();

-- Posting.

-- Movements in the order in which they are decided, each with its legs. Accounts and tokens are listed once; movements
-- and legs refer to them, and legs to movements, by position from 1.
create type ledger.batch as (
  accounts bigint[],                -- distinct
  tokens uuid[],                    -- distinct
  movement_id uuid[],               -- distinct
  movement_hash bytea[],
  movement_kind text[],
  movement_reference uuid[],
  movement_token int[],             -- position in tokens, or null
  movement_at timestamptz[],
  movement_quota int[],             -- position in quota_used of ledger.post, or null
  movement_quota_amount numeric[],  -- amount to count against the quota
  movement_quota_limit numeric[],   -- highest use of the quota, this movement included; null: no limit
  leg_movement int[],               -- position of the movement, ascending
  leg_from int[],                   -- position in accounts
  leg_to int[],                     -- position in accounts
  leg_amount numeric[],             -- above 0
  leg_code text[],
  movement_holder uuid[],           -- who may use the token: its reserver, or the movement itself
  movement_keeps_refusal boolean[]  -- stores a refusal for funds, quota or token, so that a repetition gets it again
);

-- Posts a batch and returns the status of each movement:
--   posted              its entries are written
--   replayed            its id was posted before with the same hash; nothing is written again
--   key_reused          its id was posted or refused before with another hash
--   refused_before      its id was refused before by ledger.refuse
--   already_used        its token is used, or reserved by another holder
--   limit_exceeded      its quota would exceed the limit
--   insufficient_funds  an account would fall below its floor
--   unknown_account, currency_mismatch, not_permitted
--   busy [account]      its quota, or without `waits` this account, is locked by another transaction; try again later
-- A refused movement moves nothing, and the rest of the batch proceeds. Raises TL001 for a malformed batch, a
-- serialization failure if another transaction takes a token first, and violates account_closed_is_empty if money would
-- reach a closed account.
-- `quota_used` is the amount already counted against each quota, which the caller has locked; null: busy.
-- Lock order: quotas (by the caller), accounts by id, ids of postings, tokens by id.
create function ledger.post(batch ledger.batch, quota_used numeric[] default '{}', waits boolean default true)
  returns text[]
language plpgsql security definer set search_path = pg_catalog, pg_temp
-- A plan that is cached while the tables are small must still suit them when they are large.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  -- Copies: element access is fast in variables, and slow in fields of a composite.
  accounts bigint[] := batch.accounts;
  tokens uuid[] := batch.tokens;
  movement_id uuid[] := batch.movement_id;
  movement_hash bytea[] := batch.movement_hash;
  movement_kind text[] := batch.movement_kind;
  movement_reference uuid[] := batch.movement_reference;
  movement_token int[] := batch.movement_token;
  movement_holder uuid[] := batch.movement_holder;
  movement_keeps_refusal boolean[] := batch.movement_keeps_refusal;
  movement_at timestamptz[] := batch.movement_at;
  movement_quota int[] := batch.movement_quota;
  movement_quota_amount numeric[] := batch.movement_quota_amount;
  movement_quota_limit numeric[] := batch.movement_quota_limit;
  leg_movement int[] := batch.leg_movement;
  leg_from int[] := batch.leg_from;
  leg_to int[] := batch.leg_to;
  leg_amount numeric[] := batch.leg_amount;
  leg_code text[] := batch.leg_code;
  leg_count constant int := cardinality(leg_movement);

  -- One element per account.
  account_kind text[];
  account_currency text[];
  account_name text[];
  account_floor numeric[];
  account_balance numeric[];
  account_version bigint[];
  version_before bigint[];

  -- `same_owner` of each permitted move, by 'from_kind to_kind code'.
  permitted jsonb;

  -- One element per token.
  token_holder uuid[];
  token_used boolean[];
  token_count int;

  -- One element per movement.
  statuses text[];
  is_new boolean[] := array_fill(false, array[cardinality(movement_id)]);
  movement_first_leg int[] := array_fill(0, array[cardinality(movement_id)]);

  -- One element per leg. In each, money goes from the giver to the taker.
  leg_refusal text[];
  giver_balance numeric[] := array_fill(0::numeric, array[leg_count]);
  taker_balance numeric[] := giver_balance;
  giver_version bigint[] := array_fill(0::bigint, array[leg_count]);
  taker_version bigint[] := giver_version;

  -- Current leg.
  leg int := 1;
  giver int;
  taker int;
  amount numeric;
  balance numeric;
  refusal text;
begin
  if (0 < all (leg_amount)) is not true then
    raise exception 'every leg moves more than nothing' using errcode = 'TL001';
  end if;

  -- Phase 1: lock the accounts in order of their ids, so that batches cannot deadlock, and read them. Then refuse the
  -- legs that are impossible whatever the balances.
  if waits then
    select array_agg(a.name), array_agg(a.kind), array_agg(a.currency),
        array_agg(a.floor), array_agg(a.balance), array_agg(a.version)
      into account_name, account_kind, account_currency, account_floor, account_balance, account_version
      from (
        select locked.*
          from (select place from generate_series(1, cardinality(accounts)) as place order by accounts[place]) as listed
          left join lateral (
            select account.name, account.kind, account.currency, account.floor, account.balance, account.version
              from ledger.account where account.id = accounts[listed.place] for no key update
          ) as locked on true
         order by listed.place
      ) as a;
  else
    select array_agg(a.name), array_agg(a.kind), array_agg(a.currency),
        array_agg(a.floor), array_agg(a.balance), array_agg(a.version)
      into account_name, account_kind, account_currency, account_floor, account_balance, account_version
      from (
        select locked.*
          from (select place from generate_series(1, cardinality(accounts)) as place order by accounts[place]) as listed
          left join lateral (
            select account.name, account.kind, account.currency, account.floor, account.balance, account.version
              from ledger.account where account.id = accounts[listed.place] for no key update skip locked
          ) as locked on true
         order by listed.place
      ) as a;
  end if;
  version_before := account_version;

  select jsonb_object_agg(m.from_kind || ' ' || m.to_kind || ' ' || m.code, m.same_owner) into permitted
    from ledger.permitted_move as m;
  select array_agg(l.refusal) into leg_refusal
    from (
      select case
          when account_kind[leg_from[place]] is null or account_kind[leg_to[place]] is null then
            coalesce(
              (select 'busy ' || account.id from ledger.account
                where not waits and (
                  (account_kind[leg_from[place]] is null and account.id = accounts[leg_from[place]])
                  or (account_kind[leg_to[place]] is null and account.id = accounts[leg_to[place]])) limit 1),
              'unknown_account')
          when account_currency[leg_from[place]] <> account_currency[leg_to[place]] then 'currency_mismatch'
          when leg_from[place] = leg_to[place] then 'not_permitted'
          else case permitted ->> (account_kind[leg_from[place]] || ' ' || account_kind[leg_to[place]] || ' ' || leg_code[place])
            when 'false' then null
            when 'true' then case when split_part(account_name[leg_from[place]], ':', 2)
              <> split_part(account_name[leg_to[place]], ':', 2) then 'not_permitted' end
            else 'not_permitted'
          end
        end as refusal
        from generate_series(1, leg_count) as place
       order by place
    ) as l;

  -- Phase 2: look up movements that were decided before. The accounts are locked by now: of two processes that post one
  -- movement at the same time, the second waits above and finds it here.
  select array_agg(m.status) into statuses
    from (
      select case movement_hash[place] = known.request_hash
               when false then 'key_reused'
               when true then case
                 when known.refusal is null then 'replayed'
                 when known.refusal in ('insufficient_funds', 'limit_exceeded', 'already_used') then known.refusal
                 else 'refused_before'
               end
             end as status
        from generate_series(1, cardinality(movement_id)) as place
        left join lateral (
          select posting.request_hash, posting.refusal from ledger.posting where posting.id = movement_id[place] limit 1
        ) as known on true
       order by place
    ) as m;
  if cardinality(tokens) > 0 then
    select array_agg(t.holder), array_agg(t.used) into token_holder, token_used
      from (
        select known.holder, known.posting_id is not null as used
          from generate_series(1, cardinality(tokens)) as place
          left join lateral (
            select token.holder, token.posting_id from ledger.token where token.id = tokens[place] limit 1
          ) as known on true
         order by place
      ) as t;
  end if;

  -- Phase 3: decide the movements in memory, in their order.
  for movement in 1 .. cardinality(movement_id) loop
    movement_first_leg[movement] := leg;
    is_new[movement] := statuses[movement] is null;
    if is_new[movement] then
      refusal := case
        when token_used[movement_token[movement]]
          or token_holder[movement_token[movement]] <> movement_holder[movement] then 'already_used'
        when movement_quota[movement] is not null and quota_used[movement_quota[movement]] is null then 'busy'
        when quota_used[movement_quota[movement]] + movement_quota_amount[movement] > movement_quota_limit[movement]
          then 'limit_exceeded'
      end;
      while refusal is null and leg_movement[leg] = movement loop
        refusal := leg_refusal[leg];
        exit when refusal is not null;
        giver := leg_from[leg];
        taker := leg_to[leg];
        amount := leg_amount[leg];
        balance := account_balance[giver] - amount;
        if balance < account_floor[giver] then
          refusal := 'insufficient_funds';
          exit;
        end if;
        account_balance[giver] := balance;
        account_version[giver] := account_version[giver] + 1;
        giver_balance[leg] := balance;
        giver_version[leg] := account_version[giver];
        balance := account_balance[taker] + amount;
        account_balance[taker] := balance;
        account_version[taker] := account_version[taker] + 1;
        taker_balance[leg] := balance;
        taker_version[leg] := account_version[taker];
        leg := leg + 1;
      end loop;

      if refusal is null then
        statuses[movement] := 'posted';
        if movement_token[movement] is not null then
          token_used[movement_token[movement]] := true;
          token_holder[movement_token[movement]] := movement_holder[movement];
        end if;
        if movement_quota[movement] is not null then
          quota_used[movement_quota[movement]] := quota_used[movement_quota[movement]] + movement_quota_amount[movement];
        end if;
      else
        statuses[movement] := refusal;
        -- Undo the legs before the refused one.
        for done in reverse leg - 1 .. movement_first_leg[movement] loop
          giver := leg_from[done];
          taker := leg_to[done];
          account_balance[giver] := account_balance[giver] + leg_amount[done];
          account_version[giver] := account_version[giver] - 1;
          account_balance[taker] := account_balance[taker] - leg_amount[done];
          account_version[taker] := account_version[taker] - 1;
        end loop;
      end if;
    end if;
    while leg_movement[leg] = movement loop
      leg := leg + 1;
    end loop;
    if leg = movement_first_leg[movement] then
      raise exception 'movement % has no legs', movement_id[movement] using errcode = 'TL001';
    end if;
  end loop;
  if leg <= leg_count then
    raise exception 'leg % belongs to no movement', leg using errcode = 'TL001';
  end if;

  -- Phase 4: write. Each account is written once, however many movements touched it.
  if 'posted' = any (statuses) then
    insert into ledger.posting (id, request_hash, kind, reference, created_at, quota_amount)
      select movement_id[m], movement_hash[m], movement_kind[m], movement_reference[m], movement_at[m],
          movement_quota_amount[m]
        from generate_series(1, cardinality(movement_id)) as m
       where statuses[m] = 'posted';
    insert into ledger.entry (account_id, version, posting_id, leg, amount, balance, created_at)
      select accounts[leg_from[l]], giver_version[l], movement_id[leg_movement[l]],
          l - movement_first_leg[leg_movement[l]], -leg_amount[l], giver_balance[l], movement_at[leg_movement[l]]
        from generate_series(1, leg_count) as l
       where statuses[leg_movement[l]] = 'posted'
      union all
      select accounts[leg_to[l]], taker_version[l], movement_id[leg_movement[l]],
          l - movement_first_leg[leg_movement[l]], leg_amount[l], taker_balance[l], movement_at[leg_movement[l]]
        from generate_series(1, leg_count) as l
       where statuses[leg_movement[l]] = 'posted';
    update ledger.account
       set balance = account_balance[a], version = account_version[a]
      from generate_series(1, cardinality(accounts)) as a
     where account.id = accounts[a] and account_version[a] <> version_before[a];
  end if;

  -- A stored refusal takes the row that a posting of its id would have, so neither can follow the other.
  if true = any (movement_keeps_refusal) then
    insert into ledger.posting (id, request_hash, kind, reference, created_at, refusal)
      select movement_id[m], movement_hash[m], movement_kind[m], movement_reference[m], movement_at[m], statuses[m]
        from generate_series(1, cardinality(movement_id)) as m
       where movement_keeps_refusal[m] and is_new[m]
         and statuses[m] in ('insufficient_funds', 'limit_exceeded', 'already_used');
  end if;

  -- Tokens are last in the lock order. If a concurrent transaction commits one first, the caller retries the batch,
  -- which then finds it used.
  if cardinality(tokens) > 0 then
    with taken as (
      insert into ledger.token as known (id, holder, posting_id)
        select tokens[movement_token[m]], movement_holder[m], movement_id[m]
          from generate_series(1, cardinality(movement_id)) as m
         where statuses[m] = 'posted' and movement_token[m] is not null
         order by 1
        on conflict (id) do update set posting_id = excluded.posting_id
          where known.holder = excluded.holder and known.posting_id is null
      returning 1
    )
    select count(*) into token_count from taken;
    if token_count <> (select count(*) from generate_series(1, cardinality(movement_id)) as m
                        where statuses[m] = 'posted' and movement_token[m] is not null) then
      raise exception 'a token was taken by somebody else' using errcode = 'serialization_failure';
    end if;
  end if;
  return statuses;
end
$$;

-- Records an id as refused, so that it is never posted, and returns the decision that holds, which may be another
-- process's: 'posted', 'key_reused', or the code of the refusal. Accepts codes and parameters, no texts; a constraint
-- on posting would check that at the cost of every movement.
create function ledger.refuse(
  movement uuid, hash bytea, movement_kind text, refused_at timestamptz, code text, details jsonb,
  out decision text, out decided_details jsonb
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if code !~ '^[a-z_]+$' or details ? 'detail' or jsonb_path_exists(details, '$.errors[*].message') then
    raise exception 'a refusal is kept as a code with parameters' using errcode = 'check_violation';
  end if;
  -- Waits for a concurrent transaction that decides this id.
  insert into ledger.posting (id, request_hash, kind, reference, created_at, refusal, refusal_details)
    values (movement, hash, movement_kind, movement, refused_at, code, details)
    on conflict (id) do nothing;
  select case when posting.request_hash <> hash then 'key_reused' else coalesce(posting.refusal, 'posted') end,
      posting.refusal_details
    into decision, decided_details
    from ledger.posting where posting.id = movement;
end
$$;

-- Tokens.

-- Reserves a token for later use. Returns false if it is used, or reserved by another holder.
create function ledger.reserve_token(token_id uuid, token_holder uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into ledger.token (id, holder) values (token_id, token_holder) on conflict (id) do nothing;
  return exists (
    select from ledger.token where token.id = token_id and token.holder = token_holder and token.posting_id is null
  );
end
$$;

-- Frees a reserved token; a used one stays used.
create function ledger.release_token(token_id uuid, token_holder uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from ledger.token where token.id = token_id and token.holder = token_holder and token.posting_id is null;
end
$$;

-- Accounts.

-- Locks accounts in the order of ledger.post and returns their balances, for a transaction that moves money more than
-- once or reads a balance first.
create function ledger.lock_accounts(accounts bigint[]) returns table (id bigint, balance numeric)
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select account.id, account.balance from ledger.account where account.id = any(accounts)
   order by account.id for no key update
$$;

-- Opens the stripe with this number of all system accounts of these kinds, and returns account and stripe.
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

-- Closes wallet and hold accounts. If one is not empty, closes none and returns its id.
create function ledger.close_accounts(accounts bigint[]) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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

create function ledger.reopen_accounts(accounts bigint[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from ledger.account where account.id = any(accounts) order by account.id for no key update;
  update ledger.account set closed = false where account.id = any(accounts) and closed;
end
$$;

-- Privileges.

-- Lets a role other than the owner read everything, open accounts and post.
create procedure ledger.grant_use(application regrole)
language plpgsql as $$
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

revoke all on function ledger.refuse, ledger.reserve_token, ledger.release_token, ledger.lock_accounts,
  ledger.open_stripes, ledger.post, ledger.close_accounts, ledger.reopen_accounts from public;

revoke all on procedure ledger.grant_use from public;
