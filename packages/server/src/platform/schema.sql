-- Tables that belong to no feature: rate limits, retained hash keys, audit runs, and row seals, by which the audit
-- finds rows that were changed or removed outside this program.

-- Calls counted in the current window of each limit. Unlogged: writes cost no log and no flush, and a crash of the
-- database resets all counts.
create unlogged table rate_limit (
  -- Name of the limit, then the user or a keyed hash of the address.
  key text primary key,
  counted integer not null,
  -- Calls in progress that may still count.
  held integer not null,
  -- Calls granted by the latest statement, which returns it.
  granted integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);

-- System identifier of the cluster that assigned the numbers in `transaction.xid`. After a restore into another
-- cluster, `migrate` replaces numbers ahead of the new cluster's own and stores its identifier here.
create table database_cluster (
  only_one boolean primary key default true check (only_one),
  identifier bigint not null
);
-- 0: unknown until `migrate` stores it.
insert into database_cluster (identifier) values (0);

-- Hash keys derived from replaced values of TERN_SECRET, for hashes that no stored value can reproduce. Each is sealed
-- under a later secret.
create table retained_hash_key (
  purpose text not null,
  key_id text not null check (key_id ~ '^[0-9a-f]{8}$'),
  key bytea not null,
  created_at timestamptz not null default now(),
  primary key (purpose, key_id)
);

-- Runs of `npm run audit` and their results, for monitoring.
create table audit_run (
  id uuid primary key,
  finished_at timestamptz not null,
  checks integer not null check (checks > 0),
  broken integer not null,
  check (broken between 0 and checks)
);
create index audit_run_last on audit_run (finished_at);

-- At most one row: the database was used with the sandbox or with test money, so production refuses it. The times are
-- those of filling it with demo data.
create table demo_seed (
  only_one boolean primary key default true check (only_one),
  started_at timestamptz not null,
  finished_at timestamptz
);

-- Seals of rows. `signature` is a keyed hash of `hash` under the secret `key_id`. It is null for rows that a migration
-- sealed and for writes by a connection without a key.
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

-- Acceptances by an operator of rows that were changed or removed outside this program. The newest of a row applies.
create table row_acceptance (
  relation text not null,
  row_key text not null,
  accepted_at timestamptz not null default now(),
  accepted_by text not null check (length(accepted_by) between 1 and 60),
  because text not null check (length(because) between 1 and 500),
  primary key (relation, row_key, accepted_at)
);

-- Returns the values of a row's key columns, separated by spaces.
create function row_key(line jsonb, keys text[]) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select string_agg(line ->> k, ' ' order by n) from unnest(keys) with ordinality as u(k, n)
$$;

-- Returns the hash of a table's name and a row's key and facts. The row must be rendered in time zone UTC.
create function row_hash(relation text, line jsonb, keys text[], facts text[]) returns bytea
language sql immutable set search_path = pg_catalog, pg_temp as $$
  select sha256(convert_to(jsonb_build_array(relation, (
    select jsonb_agg(line -> f order by n) from unnest(keys || facts) with ordinality as u(f, n)))::text, 'UTF8'))
$$;

-- Returns an HMAC-SHA256 whose two pads are derived separately. `key` is `<key id>.<inner pad><outer pad>`, with pads
-- of 64 bytes as hexadecimal digits.
create function row_signature(key text, hash bytea) returns bytea
language sql immutable strict set search_path = pg_catalog, pg_temp as $$
  select sha256(decode(substr(split_part(key, '.', 2), 129), 'hex')
    || sha256(decode(left(split_part(key, '.', 2), 128), 'hex') || hash))
$$;

-- Returns whether an unsigned seal dates from a migration or the day after it, when processes of the previous version
-- may still have been running.
create function is_seal_of_upgrade(at timestamptz) returns boolean
language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
begin
  return exists (select from schema_migration where at between applied_at and applied_at + interval '1 day');
end
$$;

-- Seals rows written by this program, with the key set on its connections. A change by another program leaves the row
-- in contradiction to its seal, also after later changes by this program.
-- Arguments: the key columns, separated by commas, then the columns that are facts.
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

-- Seals the rows of a table, now without a signature and on every later write. A migration that changes the facts of a
-- table, or its sealed rows, calls this again.
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

-- Signs with `new_key` the seals of `old_key` or, if null, those that an upgrade left unsigned; returns their count.
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

-- Seals a row in its present state, or deletes the seal of a missing row, and records who accepts it and why. Returns
-- false if seal and row agree. For the owner of the schema, on a connection with a key.
create function accept_row(
  relation text, wanted text, keys text[], facts text[], by_name text, because text
) returns boolean
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

revoke all on function seal_row, sign_rows, accept_row from public;
revoke all on procedure seal_table from public;
