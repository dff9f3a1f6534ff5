-- Transparency log of committed postings: their order, the log's key, leaves, tiles, checkpoints and cosignatures.
-- compatible

-- Number of the database transaction that posted the row; null for rows from before this migration. The log follows it.
-- A bigint, because xid8 has no block range index.
alter table ledger.posting add column xid bigint;
alter table ledger.posting alter column xid set default txid_current();

-- One row: the log's origin and its Ed25519 key, made when the product first starts.
create table transparency_key (
  only_row boolean primary key default true check (only_row),
  -- Origin line of checkpoints and name of the key.
  origin text not null,
  public_key bytea not null check (octet_length(public_key) = 32),
  -- Sealed seed.
  private_key bytea not null,
  created_at timestamptz not null
);

-- One row. Postings of database transactions below `position` are in the log or in transparency_queue. Void in another
-- cluster, as in transaction_index_position.
create table transparency_position (
  only_row boolean primary key default true check (only_row),
  position xid8 not null,
  cluster bigint not null,
  -- Number of leaves.
  size bigint not null default 0 check (size >= 0),
  -- False until the postings from before the log are in the queue.
  is_queued boolean not null default false
);
insert into transparency_position (position, cluster)
  select pg_snapshot_xmin(pg_current_snapshot()), system_identifier from pg_control_system();

-- Postings that are logged before any others: those from before the log and, after a restore into another cluster, all
-- that are not in the log.
create table transparency_queue (
  number bigint primary key,
  posting_id uuid not null
);

create table transparency_leaf (
  -- Place in the log, from 0.
  leaf_index bigint primary key check (leaf_index >= 0),
  posting_id uuid not null unique,
  ledger_salt bytea not null check (octet_length(ledger_salt) = 32),
  -- Entry of the log: its kind and its commitments.
  data bytea not null check (octet_length(data) >= 33)
);

-- Views of a posting that a user can disclose. The view with names has its commitment at `place` of the leaf, and the
-- view without names, if there is one, behind it.
create table transparency_view (
  user_id bigint not null,
  reference uuid not null,
  leaf_index bigint not null,
  place smallint not null check (place > 0),
  -- Null once the names are erased.
  named_salt bytea check (octet_length(named_salt) = 32),
  from_name text,
  to_name text,
  -- The other party, whose name the view contains.
  other_id bigint,
  nameless_salt bytea check (octet_length(nameless_salt) = 32),
  primary key (user_id, reference, leaf_index),
  constraint transparency_view_names check (
    (named_salt is null) = (from_name is null) and (named_salt is null) = (to_name is null)),
  constraint transparency_view_discloses check (named_salt is not null or nameless_salt is not null)
);
create index transparency_view_other on transparency_view (other_id) where other_id is not null;

-- Full tiles of the Merkle tree (c2sp.org/tlog-tiles).
create table transparency_tile (
  level smallint not null check (level between 0 and 63),
  tile_index bigint not null check (tile_index >= 0),
  hashes bytea not null check (octet_length(hashes) = 8192),
  primary key (level, tile_index)
);

-- Partial tiles at the right edge of the tree.
create table transparency_edge (
  level smallint primary key check (level between 0 and 63),
  tile_index bigint not null,
  hashes bytea not null check (octet_length(hashes) < 8192 and octet_length(hashes) % 32 = 0)
);

create table transparency_checkpoint (
  size bigint primary key check (size > 0),
  root bytea not null check (octet_length(root) = 32),
  -- Signed by the log, without cosignatures.
  note text not null,
  signed_at timestamptz not null
);

create table transparency_cosignature (
  size bigint not null references transparency_checkpoint on delete cascade,
  witness text not null,
  -- Signature line of the note.
  line text not null,
  cosigned_at timestamptz not null,
  primary key (size, witness)
);

-- Last answer of each witness.
create table transparency_witness (
  witness text primary key,
  -- Size of the tree that the witness last cosigned.
  size bigint not null default 0 check (size >= 0),
  cosigned_at timestamptz,
  -- Code of the last failure; null after a success.
  failure text,
  failed_at timestamptz
);

create function refuse_change_of_log() returns trigger
language plpgsql as $$
begin
  raise exception '% of % is refused: the log is only ever added to', tg_op, tg_table_name using errcode = 'TL002';
end
$$;
create trigger log_is_kept before delete or update or truncate on transparency_leaf
  for each statement execute function refuse_change_of_log();
create trigger log_is_kept before delete or update or truncate on transparency_tile
  for each statement execute function refuse_change_of_log();
create trigger key_is_kept before delete or truncate on transparency_key
  for each statement execute function refuse_change_of_log();
-- Only resealing changes the key's row.
create trigger key_stays_the_same before update of origin, public_key, created_at on transparency_key
  for each statement execute function refuse_change_of_log();
create trigger checkpoint_is_kept before update or truncate on transparency_checkpoint
  for each statement execute function refuse_change_of_log();
create trigger cosignature_is_kept before update or truncate on transparency_cosignature
  for each statement execute function refuse_change_of_log();
create trigger position_is_kept before delete or truncate on transparency_position
  for each statement execute function refuse_change_of_log();
create trigger log_never_shrinks before update on transparency_position
  for each row when (new.size < old.size) execute function refuse_change_of_log();
-- A view's names and their salt may be erased.
create trigger view_is_kept before update on transparency_view
  for each row when (new.named_salt is not null or new.user_id <> old.user_id or new.reference <> old.reference
    or new.leaf_index <> old.leaf_index or new.place <> old.place
    or new.nameless_salt is distinct from old.nameless_salt)
  execute function refuse_change_of_log();

-- Root of the complete subtree above a row of hashes, whose number is a power of two (RFC 6962).
create function transparency_row_root(hashes bytea) returns bytea
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  parents bytea;
begin
  while octet_length(hashes) > 32 loop
    select string_agg(sha256('\x01'::bytea || substring(hashes from n * 64 + 1 for 64)), ''::bytea order by n) into parents
      from generate_series(0, octet_length(hashes) / 64 - 1) as n;
    hashes := parents;
  end loop;
  return hashes;
end
$$;

-- Root of the tree whose partial tiles are given, lowest level first; null for an empty tree.
create function transparency_edge_root(levels bytea[]) returns bytea
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  root bytea;
  hash bytea;
  hashes bytea;
  past int;
  number int;
begin
  foreach hashes in array levels loop
    past := octet_length(hashes) / 32;
    number := 1;
    while past > 0 loop
      if past % (number * 2) <> 0 then
        hash := public.transparency_row_root(substring(hashes from (past - number) * 32 + 1 for number * 32));
        root := coalesce(sha256('\x01'::bytea || hash || root), hash);
        past := past - number;
      end if;
      number := number * 2;
    end loop;
  end loop;
  return root;
end
$$;
