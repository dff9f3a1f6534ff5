-- Trees of everything that is owed to account holders at the end of each day, and their entries in the log.
-- compatible

-- Entries of the log that are not about a posting have neither.
alter table transparency_leaf alter column posting_id drop not null;
alter table transparency_leaf alter column ledger_salt drop not null;
-- The log has one root for each day, whose date follows the kind of the entry.
create unique index transparency_leaf_liabilities on transparency_leaf (substring(data from 2 for 10))
  where get_byte(data, 0) = 3;

create table liability_day (
  -- Day in UTC at whose end the balances were these.
  day date primary key,
  -- Secret from which the salts of the leaves are derived.
  seed bytea not null check (octet_length(seed) = 32),
  -- The tree has 2^depth leaves.
  depth smallint not null check (depth between 8 and 40),
  root_hash bytea not null check (octet_length(root_hash) = 32),
  built_at timestamptz not null,
  -- Place of the root's entry in the log; null until it is there.
  leaf_index bigint unique
);

-- Everything that is owed, by currency; with `root_hash` the root of the tree.
create table liability_total (
  day date not null references liability_day on delete cascade,
  currency text not null references ledger.currency,
  -- Minor units.
  amount numeric(38, 0) not null check (amount > 0),
  primary key (day, currency)
);

-- Subtrees of 256 leaves.
create table liability_tile (
  day date not null references liability_day on delete cascade deferrable initially deferred,
  tile_index integer not null check (tile_index >= 0),
  -- Commitment to the holder and sums of each leaf.
  leaves bytea not null,
  -- Root of the subtree: its hash and its sums.
  node bytea not null check (octet_length(node) > 32),
  primary key (day, tile_index)
);

create table liability_holder (
  day date not null references liability_day on delete cascade deferrable initially deferred,
  user_id bigint not null,
  -- Place of the leaf in the tree.
  position bigint not null check (position >= 0),
  primary key (day, user_id)
);
create index liability_holder_user on liability_holder (user_id);

create trigger liabilities_are_kept before update or truncate on liability_total
  for each statement execute function refuse_change_of_log();
create trigger liabilities_are_kept before update or truncate on liability_tile
  for each statement execute function refuse_change_of_log();
create trigger liabilities_are_kept before update or truncate on liability_holder
  for each statement execute function refuse_change_of_log();
create trigger liabilities_are_kept before update on liability_day
  for each row when (old.leaf_index is not null or new.day <> old.day or new.seed <> old.seed
    or new.depth <> old.depth or new.root_hash <> old.root_hash or new.built_at <> old.built_at)
  execute function refuse_change_of_log();
