-- Owner: audit. A seal over the facts of each row that no posting repeats: the audit finds rows that were changed or removed
-- outside this program.

-- The sealed state of one row. `signature` is a keyed hash of `hash` under the installation's secret `key_id`; null for rows of
-- before seals and for writes of processes of an earlier version while an upgrade rolls.
create table row_seal (
  relation text not null,
  row_key text not null,
  hash bytea not null check (octet_length(hash) = 32),
  key_id text,
  signature bytea,
  sealed_at timestamptz not null default now(),
  primary key (relation, row_key),
  check ((key_id is null) = (signature is null))
);

-- The values of a row's key columns, separated by spaces.
create function row_key(line jsonb, keys text[]) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select string_agg(line ->> k, ' ' order by n) from unnest(keys) with ordinality as u(k, n)
$$;

-- A hash of a table's name and a row's key and facts. The row has to be rendered under time zone UTC.
create function row_hash(relation text, line jsonb, keys text[], facts text[]) returns bytea
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select sha256(convert_to(jsonb_build_array(relation, (
    select jsonb_agg(line -> f order by n) from unnest(keys || facts) with ordinality as u(f, n)))::text, 'UTF8'))
$$;

-- HMAC-SHA256 whose two pads are derived apart. `key` is `<key id>.<inner pad><outer pad>`, pads as 64 bytes in hexadecimal digits.
create function row_signature(key text, hash bytea) returns bytea
language sql immutable strict set search_path = pg_catalog, pg_temp as $$
  select sha256(decode(substr(split_part(key, '.', 2), 129), 'hex')
    || sha256(decode(left(split_part(key, '.', 2), 128), 'hex') || hash))
$$;

-- Whether an unsigned seal is of a migration, or of the day after one, when processes of the version before may still have run.
create function is_seal_of_upgrade(at timestamptz) returns boolean
language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
begin
  return exists (select from schema_migration where at between applied_at and applied_at + interval '1 day');
end
$$;

-- Seals rows written by this program, under the key set on its connections. Changes by other programs are left unsealed: such
-- a row contradicts its seal, also after later changes by this program. Arguments: the key columns, separated by commas, then the
-- columns that are facts.
create function seal_row() returns trigger
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set timezone = 'UTC'
as $$
declare
  key constant text := nullif(current_setting('tern.row_seal_key', true), '');
  keys constant text[] := string_to_array(tg_argv[0], ',');
  line constant jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  content bytea;
  stored bytea;
begin
  if key is null and current_setting('application_name') <> 'tern' then
    return null;
  end if;
  if tg_op = 'DELETE' then
    delete from row_seal s where s.relation = tg_table_name and s.row_key = row_key(line, keys);
    return null;
  end if;
  content := row_hash(tg_table_name, line, keys, tg_argv[1:]);
  if tg_op = 'UPDATE' then
    select s.hash into stored from row_seal s where s.relation = tg_table_name and s.row_key = row_key(to_jsonb(old), keys);
    if stored = content or stored is distinct from row_hash(tg_table_name, to_jsonb(old), keys, tg_argv[1:]) then
      return null;
    end if;
  end if;
  insert into row_seal as s (relation, row_key, hash, key_id, signature)
  values (tg_table_name, row_key(line, keys), content, split_part(key, '.', 1), row_signature(key, content))
  on conflict (relation, row_key) do update
    set hash = excluded.hash, key_id = excluded.key_id, signature = excluded.signature, sealed_at = excluded.sealed_at;
  return null;
end
$$;

-- Seals a table from now on, and its present rows without a signature. A later migration that changes the facts of a table, or rows
-- that are sealed, calls this again.
create procedure seal_table(relation text, keys text[], facts text[])
language plpgsql
set search_path = pg_catalog, public, pg_temp
set timezone = 'UTC'
as $$
begin
  execute format('drop trigger if exists row_is_sealed on %I', relation);
  execute format('create trigger row_is_sealed after insert or delete or update of %s on %I for each row execute function seal_row(%s)',
    (select string_agg(format('%I', f), ', ') from unnest(facts) as f), relation,
    (select string_agg(format('%L', f), ', ') from unnest(array_to_string(keys, ',') || facts) as f));
  execute format('insert into row_seal (relation, row_key, hash)
      select $1, row_key(line, $2), row_hash($1, line, $2, $3) from (select to_jsonb(t) as line from %I t) as stored
      on conflict (relation, row_key) do update set hash = excluded.hash, key_id = null, signature = null, sealed_at = now()',
    relation) using relation, keys, facts;
end
$$;

-- Signs under `new_key` what `old_key` has signed, or, where that is null, what an upgrade has left unsigned. Returns how many.
create function sign_rows(old_key text, new_key text) returns bigint
language sql security definer
set search_path = pg_catalog, public, pg_temp
as $$
  with signed as (
    update row_seal set key_id = split_part(new_key, '.', 1), signature = row_signature(new_key, hash)
     where key_id is not distinct from split_part(old_key, '.', 1)
       and case when old_key is null then is_seal_of_upgrade(sealed_at) else signature = row_signature(old_key, hash) end
    returning 1)
  select count(*) from signed
$$;

-- Rows changed or removed outside this program and accepted by an operator. The newest line applies.
create table row_acceptance (
  relation text not null,
  row_key text not null,
  accepted_at timestamptz not null default now(),
  accepted_by text not null check (length(accepted_by) between 1 and 60),
  because text not null check (length(because) between 1 and 500),
  primary key (relation, row_key, accepted_at)
);

-- Seals a row as it is, or forgets the seal of one that is gone, and notes who accepts it and why. False where seal and row agree. For
-- the owner of the schema, on a connection that brings a key.
create function accept_row(relation text, wanted text, keys text[], facts text[], by_name text, because text) returns boolean
language plpgsql
set search_path = pg_catalog, public, pg_temp
set timezone = 'UTC'
as $$
#variable_conflict use_column
declare
  key constant text := current_setting('tern.row_seal_key');
  line jsonb;
  content bytea;
begin
  execute format('select to_jsonb(t) from %I t where row_key(to_jsonb(t), $1) = $2', accept_row.relation) into line using keys, wanted;
  content := row_hash(accept_row.relation, line, keys, facts);
  if line is null then
    delete from row_seal s where s.relation = accept_row.relation and s.row_key = wanted;
  else
    insert into row_seal as s (relation, row_key, hash, key_id, signature)
    values (accept_row.relation, wanted, content, split_part(key, '.', 1), row_signature(key, content))
    on conflict (relation, row_key) do update
      set hash = excluded.hash, key_id = excluded.key_id, signature = excluded.signature, sealed_at = excluded.sealed_at
      where s.hash <> excluded.hash or s.signature is distinct from excluded.signature;
  end if;
  if not found then
    return false;
  end if;
  insert into row_acceptance (relation, row_key, accepted_by, because)
  values (accept_row.relation, wanted, by_name, accept_row.because);
  return true;
end
$$;

call seal_table('transfer', '{id}', '{kind,state,sender_id,recipient_id,payment_id,amount_minor,currency,usd_minor,locked_price,quote_id,hold_reason,held_until,release_reason,decided_by,decision_note,created_at,held_at,decided_at}');
call seal_table('street_hold', '{transfer_id}', '{confirm_after_seconds,confirmed_at}');
call seal_table('compliance_case', '{id}', '{user_id,kind,state,stops,need,need_by,decide_by,opened_at,decided_at,decided_by}');
call seal_table('compliance_objection', '{id}', '{case_id,user_id,state,made_at,decide_by,decided_at,decided_by}');
call seal_table('desk_item', '{queue,subject}', '{round,verdict}');
call seal_table('desk_decision', '{id}', '{queue,subject,round,seat,operator_id,verdict,reason,decided_at}');
call seal_table('dispute', '{id}', '{user_id,transaction_id,kind,state,claimed_minor,claimed_fee_minor,currency,opened_at,decide_by,credit_by,need,need_by,outcome,decided_at,suspected_at}');
call seal_table('dispute_objection', '{id}', '{dispute_id,state,made_at,decide_by,decided_at}');
call seal_table('dispute_posting', '{posting_id,dispute_id}', '{kind,transaction_id,amount_minor,fee_minor,currency,at}');
call seal_table('reconciliation_exception', '{id}', '{kind,provider,subject,reference,amount_minor,currency,opened_at,happened_at,closed_at,resolution,resolved_manually}');
call seal_table('schedule', '{id}', '{user_id,payee_id,wallet_id,source_currency,target_currency,side,amount_minor,recurrence,anchor_on,time_zone,ceiling_minor,has_rate_guard,wait_days,confirmed_at,confirmed_recurrence,confirmed_ceiling_minor,confirmed_from,state,next_on}');
call seal_table('schedule_occurrence', '{id}', '{schedule_id,on_date,due_at,state,transaction_id,total_minor,ceiling_minor,closed_at}');
call seal_table('exchange_order', '{id}', '{user_id,wallet_id,transaction_id,kind,state,source_currency,target_currency,source_minor,fee_minor,fee_basis_points,rate_currency,rate,worst_rate,minimum_minor,trigger_numerator,trigger_denominator,expires_at,quote_id,created_at,ended_at}');
call seal_table('protection_rule', '{id}', '{user_id,kind,is_on,currency,base_currency,share_percent,threshold_minor}');
call seal_table('payment_request', '{id}', '{requester_id,payer_id,amount_minor,currency,allows_parts,created_at,expires_at}');
call seal_table('guest_payment', '{payment_id}', '{request_id,amount_minor,usd_minor,refusal,created_at}');
call seal_table('treasury_order', '{id}', '{provider,currency,sell_currency,sell_minor,buy_currency,state,reference,sold_minor,bought_minor,reason,ordered_by,created_at,filled_at}');
call seal_table('liquidity_limit', '{currency}', '{long_minor,short_minor,flatten_above_minor,changed_by,changed_at}');
call seal_table('own_limit', '{user_id,direction,period}', '{max_usd_minor,next_max_usd_minor,next_at}');
call seal_table('app_user', '{id}', '{frozen_at}');

revoke execute on function seal_row(), sign_rows(text, text), accept_row(text, text, text[], text[], text, text) from public;
revoke execute on procedure seal_table(text, text[], text[]) from public;
