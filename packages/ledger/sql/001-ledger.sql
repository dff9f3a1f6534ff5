-- The ledger: every movement of money as balanced, append-only entries, written by one function.
--
--   account         a balance somebody or something holds in one currency
--   posting         one movement; its id is made by the caller, who may send it again without moving money twice
--   entry           one change of one account, with the balance it led to; versions count 1, 2, 3 … per account
--   permitted_move  which kind of account may pay which, and what for
--
-- A movement consists of legs. A leg takes an amount from one account and gives it to another of the same currency, so
-- every posting is balanced in every currency by construction. Amounts are whole minor units (cents, yen, wei).

create schema ledger;

create table ledger.account (
  id bigint generated always as identity primary key,
  -- Says all the rest; of a user's account it also names the wallet: kind:wallet:currency.
  name text not null unique,
  kind text not null,
  currency text not null,
  floor numeric(38, 0),
  balance numeric(38, 0) not null default 0,
  version bigint not null default 0,
  constraint account_floor_is_kept check (floor is null or balance >= floor),
  constraint account_of_user_has_floor check (kind not in ('wallet', 'hold') or (floor is not null and floor >= 0)),
  constraint account_without_entries_is_empty check (version > 0 or balance = 0)
) with (fillfactor = 50);

create table ledger.posting (
  id uuid primary key,
  request_hash bytea not null,
  kind text not null,
  -- What the movement belongs to: the id of the users' transaction.
  reference uuid not null,
  -- A token that moves money once in its life, such as a quote.
  once uuid,
  created_at timestamptz not null
);
create unique index posting_once on ledger.posting (once) where once is not null;
create index posting_reference on ledger.posting (reference);

-- Without foreign keys: they doubled the cost of a movement. The posting function is the only writer, and checks. And
-- without an index on posting_id: it cost a tenth, and nothing but an auditor starts from a posting.
create table ledger.entry (
  account_id bigint not null,
  version bigint not null,
  posting_id uuid not null,
  leg smallint not null,
  amount numeric(38, 0) not null,
  balance numeric(38, 0) not null,
  primary key (account_id, version),
  constraint entry_moves_something check (amount <> 0)
);

create table ledger.permitted_move (
  from_kind text not null,
  to_kind text not null,
  code text not null,
  -- True when both accounts must be of the same wallet.
  same_owner boolean not null default false,
  primary key (from_kind, to_kind, code)
);

-- chart.ts says the same to the application; a test compares the two.
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
  ('wallet', 'card_settlement', 'chargeback', false),
  ('wallet', 'bank_settlement', 'chargeback', false);

-- What the posting function is called with: movements in the order they are to be decided, each with its legs. Accounts
-- and tokens are listed once; movements and legs name them by their position, counted from 1.
create type ledger.batch as (
  accounts bigint[],              -- distinct
  tokens uuid[],                  -- distinct single-use tokens
  movement_id uuid[],             -- distinct
  movement_hash bytea[],
  movement_kind text[],
  movement_reference uuid[],
  movement_token int[],           -- position in tokens, or null
  movement_at timestamptz[],
  movement_quota int[],           -- position in the quotas given beside the batch, or null
  movement_quota_amount numeric[], -- how much of that quota it uses up
  movement_quota_limit numeric[], -- what the quota's use must not exceed with it, or null
  leg_movement int[],             -- position of the movement it belongs to, ascending
  leg_from int[],                 -- position in accounts
  leg_to int[],                   -- position in accounts
  leg_amount numeric[],           -- minor units, above 0
  leg_code text[]
);

-- Posts a batch and says for each movement what became of it:
--   posted              its entries are written
--   replayed            the same id with the same hash had been posted before; nothing is written again
--   key_reused          the same id had been posted with another hash
--   already_used        its single-use token had been used by another movement
--   limit_exceeded      it would use its quota beyond the limit
--   unknown_account, currency_mismatch, not_permitted, insufficient_funds
-- A refused movement leaves no trace, and the others of the batch go on. Only a malformed batch raises (TL001).
-- quota_used says how much of each quota had been used before; the caller holds a lock on that number.
create function ledger.post(batch ledger.batch, quota_used numeric[] default '{}') returns text[]
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
-- A plan that was made while the tables were small must still be right when they are large.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  -- The batch's own arrays under their own names: element access is fast in variables, slow in fields of a composite.
  accounts bigint[] := batch.accounts;
  tokens uuid[] := batch.tokens;
  movement_id uuid[] := batch.movement_id;
  movement_hash bytea[] := batch.movement_hash;
  movement_kind text[] := batch.movement_kind;
  movement_reference uuid[] := batch.movement_reference;
  movement_token int[] := batch.movement_token;
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

  -- 'from-kind to-kind code' of every permitted move, with whether both accounts must be of the same wallet.
  permitted jsonb;

  -- One element per token, per movement, per leg.
  token_used boolean[];
  statuses text[];
  movement_first_leg int[] := array_fill(0, array[cardinality(movement_id)]);
  leg_refusal text[];
  giver_balance numeric[] := array_fill(0::numeric, array[leg_count]);
  taker_balance numeric[] := giver_balance;
  giver_version bigint[] := array_fill(0::bigint, array[leg_count]);
  taker_version bigint[] := giver_version;

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

  -- Phase 1: lock every account in ascending order of id, so that two batches never wait for each other in a circle,
  -- and read them into memory. Then see which legs are impossible whatever the balances are.
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
  version_before := account_version;

  select jsonb_object_agg(m.from_kind || ' ' || m.to_kind || ' ' || m.code, m.same_owner) into permitted
    from ledger.permitted_move as m;
  select array_agg(l.refusal) into leg_refusal
    from (
      select case
          when account_kind[leg_from[place]] is null or account_kind[leg_to[place]] is null then 'unknown_account'
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

  -- Phase 2: see what was posted before. Only now that the accounts are locked: of two processes that replay one
  -- movement at the same time, the second waits above and finds it here.
  select array_agg(m.status) into statuses
    from (
      select case movement_hash[place] = (select request_hash from ledger.posting where posting.id = movement_id[place])
               when true then 'replayed' when false then 'key_reused' end as status
        from generate_series(1, cardinality(movement_id)) as place
       order by place
    ) as m;
  select array_agg(t.used) into token_used
    from (
      select (select posting.id from ledger.posting where posting.once = tokens[place]) is not null as used
        from generate_series(1, cardinality(tokens)) as place
       order by place
    ) as t;

  -- Phase 3: decide in memory, movement by movement, in the order given.
  for movement in 1 .. cardinality(movement_id) loop
    movement_first_leg[movement] := leg;
    if statuses[movement] is null then
      refusal := case
        when token_used[movement_token[movement]] then 'already_used'
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
        end if;
        if movement_quota[movement] is not null then
          quota_used[movement_quota[movement]] := quota_used[movement_quota[movement]] + movement_quota_amount[movement];
        end if;
      else
        statuses[movement] := refusal;
        -- The legs before the refused one are taken back.
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
    insert into ledger.posting (id, request_hash, kind, reference, once, created_at)
      select movement_id[m], movement_hash[m], movement_kind[m], movement_reference[m], tokens[movement_token[m]],
          movement_at[m]
        from generate_series(1, cardinality(movement_id)) as m
       where statuses[m] = 'posted';
    insert into ledger.entry (account_id, version, posting_id, leg, amount, balance)
      select accounts[leg_from[l]], giver_version[l], movement_id[leg_movement[l]],
          l - movement_first_leg[leg_movement[l]], -leg_amount[l], giver_balance[l]
        from generate_series(1, leg_count) as l
       where statuses[leg_movement[l]] = 'posted'
      union all
      select accounts[leg_to[l]], taker_version[l], movement_id[leg_movement[l]],
          l - movement_first_leg[leg_movement[l]], leg_amount[l], taker_balance[l]
        from generate_series(1, leg_count) as l
       where statuses[leg_movement[l]] = 'posted';
    update ledger.account
       set balance = account_balance[a], version = account_version[a]
      from generate_series(1, cardinality(accounts)) as a
     where account.id = accounts[a] and account_version[a] <> version_before[a];
  end if;
  return statuses;
end
$$;

-- The guards hold for every role, the owner of the tables included: history is never changed, and new history is written
-- by the posting function alone.

create function ledger.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% of ledger.% is refused: the ledger is only ever added to', tg_op, tg_table_name
    using errcode = 'TL002';
end
$$;

-- Looks for the posting function on the call stack, which no session can pretend by a setting.
create function ledger.require_posting_function() returns trigger language plpgsql as $$
declare
  call_stack text;
begin
  get diagnostics call_stack = pg_context;
  if position('ledger.post(ledger.batch,numeric[])' in call_stack) = 0 then
    raise exception '% of ledger.% is refused: only ledger.post writes it', tg_op, tg_table_name
      using errcode = 'TL003';
  end if;
  return null;
end
$$;

create trigger history_is_kept before update or delete or truncate on ledger.posting
  for each statement execute function ledger.refuse_change();
create trigger history_is_kept before update or delete or truncate on ledger.entry
  for each statement execute function ledger.refuse_change();
create trigger history_is_kept before delete or truncate on ledger.account
  for each statement execute function ledger.refuse_change();
create trigger opens_empty before insert on ledger.account
  for each row when (new.balance <> 0 or new.version <> 0) execute function ledger.refuse_change();

create trigger posting_function_writes before insert on ledger.posting
  for each statement execute function ledger.require_posting_function();
create trigger posting_function_writes before insert on ledger.entry
  for each statement execute function ledger.require_posting_function();
create trigger posting_function_writes before update on ledger.account
  for each statement execute function ledger.require_posting_function();

revoke all on function ledger.post(ledger.batch, numeric[]) from public;

-- What a role that is not the owner needs to run the product: read everything, open accounts, and post. No more.
create procedure ledger.grant_use(application regrole) language plpgsql as $$
begin
  execute format('grant usage on schema ledger to %s', application);
  execute format('grant select on all tables in schema ledger to %s', application);
  execute format('grant insert (name, kind, currency, floor) on ledger.account to %s', application);
  execute format('grant execute on function ledger.post(ledger.batch, numeric[]) to %s', application);
end
$$;
revoke all on procedure ledger.grant_use(regrole) from public;
