-- Owner: platform. Keys of keyed hashes that nothing stored can make again, kept when their TERN_SECRET is replaced; each is
-- sealed under the one that replaced it.
create table retained_hash_key (
  purpose text not null,
  key_id text not null check (key_id ~ '^[0-9a-f]{8}$'),
  key bytea not null,
  created_at timestamptz not null default now(),
  primary key (purpose, key_id)
);
