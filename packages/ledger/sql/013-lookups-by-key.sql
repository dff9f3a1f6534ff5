-- ledger.post looks each movement and token up by its key, also by a plan that was made while the tables were empty: a
-- limit keeps the lookups from being planned as a join, which then reads all of them for each.

CREATE OR REPLACE FUNCTION ledger.post(batch ledger.batch, quota_used numeric[] DEFAULT '{}'::numeric[], waits boolean DEFAULT true)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET jit TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $$
declare
  -- The batch's own arrays under their own names: element access is fast in variables, slow in fields of a composite.
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

  -- 'from-kind to-kind code' of every permitted move, with whether both accounts must be of the same wallet.
  permitted jsonb;

  -- One element per token, per movement, per leg.
  token_holder uuid[];
  token_used boolean[];
  token_count int;
  statuses text[];
  is_new boolean[] := array_fill(false, array[cardinality(movement_id)]);
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

  -- Phase 2: see what was posted before. Only now that the accounts are locked: of two processes that replay one
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

  -- Phase 3: decide in memory, movement by movement, in the order given.
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

  -- A refusal is kept with its id, in the row that a posting of it would have: neither can follow the other.
  if true = any (movement_keeps_refusal) then
    insert into ledger.posting (id, request_hash, kind, reference, created_at, refusal)
      select movement_id[m], movement_hash[m], movement_kind[m], movement_reference[m], movement_at[m], statuses[m]
        from generate_series(1, cardinality(movement_id)) as m
       where movement_keeps_refusal[m] and is_new[m]
         and statuses[m] in ('insufficient_funds', 'limit_exceeded', 'already_used');
  end if;

  -- Tokens come last in the order of locks. Whoever takes one at the same time is waited for; when they keep it, the
  -- batch is tried again and sees theirs.
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
